// The filters and the order of the list of users: as the address holds them, as the server wants them, and in words.

import type { UsersFilter } from '$lib/api/queries';
import type { TrustTier, UserChoices, UserFilter } from '$lib/api/schema';
import { countryName } from '$lib/format';

export const FILTERS = ['q', 'tier', 'guild_id', 'server_id', 'country', 'status'] as const;
export const TIERS = ['Trusted', 'Normal', 'Watch', 'Risk'] as const satisfies readonly TrustTier[];
export const STATUSES = ['active', 'archived', 'flagged'] as const;
export const SORTS = ['-linked_at', 'linked_at', '-score', 'score', 'name'] as const;
export const PAGE = 50;
const SEARCH_MAX = 200;

export type Sort = (typeof SORTS)[number];
export interface Filter {
  /** An account or the beginning of a name. */
  q: string;
  tier: TrustTier | '';
  guild_id: string;
  server_id: string;
  /** Two letters. */
  country: string;
  status: (typeof STATUSES)[number] | '';
  /** Blank for the usual order. */
  sort: Sort | '';
}
/** What a control changes. */
export type FilterChange = Partial<Record<keyof Filter, string>>;

export function fromQuery(query: URLSearchParams): Filter {
  const text = (name: string) => (query.get(name) ?? '').trim();
  const oneOf = <T extends string>(name: string, all: readonly T[]): T | '' => all.find((one) => one === text(name)) ?? '';
  const country = text('country').toUpperCase();
  return {
    q: [...text('q')].slice(0, SEARCH_MAX).join(''),
    tier: oneOf('tier', TIERS),
    guild_id: text('guild_id'),
    server_id: text('server_id'),
    country: /^[A-Z]{2}$/.test(country) ? country : '',
    status: oneOf('status', STATUSES),
    sort: oneOf('sort', SORTS),
  };
}

export function isFiltered(filter: Filter): boolean {
  return FILTERS.some((name) => filter[name] !== '');
}

/** Whom it is about, without the order: what a bulk unlink takes. */
export function people({ q, tier, guild_id, server_id, country, status }: Filter): UserFilter {
  return {
    ...(q && { q }),
    ...(tier && { tier }),
    ...(guild_id && { guild_id }),
    ...(server_id && { server_id }),
    ...(country && { country }),
    ...(status && { status }),
  };
}

/** For the list and for files. A search has an order of its own. */
export function toApi(filter: Filter): UsersFilter {
  return { ...people(filter), ...(!filter.q && filter.sort && { sort: filter.sort }) } as UsersFilter;
}

/** The order the list is in: people of one tier are sorted by score where nobody chose an order. */
export function orderOf({ sort, tier }: Pick<Filter, 'sort' | 'tier'>): Sort {
  return sort || (tier ? '-score' : '-linked_at');
}

/** What a press on a column's heading asks for: its usual order first, then the other way round. */
export function nextSort(now: Sort, column: 'linked_at' | 'score' | 'name'): Sort {
  if (column === 'name') return 'name';
  return now === `-${column}` ? column : `-${column}`;
}

/** Whether it is looked up as an account; everything else is the beginning of a name. */
export function isAccount(q: string): boolean {
  const text = q.trim();
  return /^(?:<@!?)?\d{17,20}>?$/.test(text) || /(?:steamcommunity\.com\/profiles|discord\.com\/users)\/\d{17,20}(?:[/?#]|$)/.test(text);
}

/** A Server is in one Guild: whoever chooses another Guild, lets go of it. */
export function withGuild(filter: Filter, guild_id: string, choices: Pick<UserChoices, 'servers'> | undefined): FilterChange {
  const server = choices?.servers.find(({ id }) => id === filter.server_id);
  const fits = !guild_id || server?.guild_id === guild_id;
  return fits ? { guild_id } : { guild_id, server_id: '' };
}

/** The one Guild that the list is about, if it is about one. */
export function guildOf(filter: Filter, choices: Pick<UserChoices, 'guilds' | 'servers'> | undefined): { id: string; name: string } | null {
  const id = filter.guild_id || choices?.servers.find((server) => server.id === filter.server_id)?.guild_id;
  if (!id) return null;
  return choices?.guilds.find((guild) => guild.id === id) ?? { id, name: 'this Guild' };
}

/** Each filter in words, for saying whom something is about. */
export function inWords(filter: Filter, choices: Pick<UserChoices, 'guilds' | 'servers'> | undefined): string[] {
  const guild = choices?.guilds.find(({ id }) => id === filter.guild_id)?.name ?? filter.guild_id;
  const server = choices?.servers.find(({ id }) => id === filter.server_id)?.name ?? filter.server_id;
  return [
    filter.q && `Search: ${filter.q}`,
    filter.tier && `Tier: ${filter.tier}`,
    filter.guild_id && `Guild: ${guild}`,
    filter.server_id && `Server: ${server}`,
    filter.country && `Country: ${countryName(filter.country) ?? filter.country}`,
    filter.status && `Status: ${filter.status}`,
  ].filter(Boolean);
}
