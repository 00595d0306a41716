// Where links can be ended.

import type { UserLink } from '$lib/api/schema';

export const EVERYWHERE = '*';

export interface Where {
  /** A Guild, or everywhere. */
  value: string;
  title: string;
  links: number;
}

/** All Guilds and each of them; only the one where there is one, and nothing without an active link. */
export function choicesOf(links: ReadonlyArray<Pick<UserLink, 'guild_id' | 'guild_name' | 'guild_gone' | 'ended_at_ms'>>): Where[] {
  // A removed Guild ends its links itself.
  const active = links.filter((link) => link.ended_at_ms == null && !link.guild_gone);
  const guilds = new Map<string, Where>();
  for (const { guild_id, guild_name } of active) {
    const links = (guilds.get(guild_id)?.links ?? 0) + 1;
    guilds.set(guild_id, { value: guild_id, title: guild_name, links });
  }
  const each = [...guilds.values()];
  return each.length > 1 ? [{ value: EVERYWHERE, title: 'All Guilds', links: active.length }, ...each] : each;
}
