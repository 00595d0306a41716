// Roles and channels of a Discord server, as people choose from them and as they are shown once chosen.

import type { DiscordChannel, DiscordRole, GuildOnDiscord } from '$lib/api/schema';
import type { Pick } from '$lib/ui/picker';

type Place = DiscordRole | DiscordChannel;

const CATEGORY = 4;
const NOT_TEXT = 'not_text';
/** Of single roles. That the bot may manage none is told once, on its card. */
export const ROLE_REASONS: Record<string, string> = {
  above_bot: 'Above the bot’s own role. Move the bot’s role higher on Discord.',
  managed: 'Managed by an integration. It can’t be given to anyone.',
  powerful: 'Can administer the Discord server, so Symbolon doesn’t hand it out.',
};
const CHANNEL_REASONS: Record<string, string> = {
  [NOT_TEXT]: 'Not a text channel.',
  cannot_see: 'The bot can’t see it. Give it View Channel there.',
  cannot_post: 'The bot can’t post in it. Give it Send Messages there.',
  cannot_embed: 'The bot can’t post embeds in it. Give it Embed Links there.',
};
const NOT_FOUND = 'Not found in this Discord server.';

/** A role or channel that was chosen, with what is wrong with it. */
export interface Chosen {
  id: string;
  /** Its name, or its id when there is none. */
  label: string;
  colour?: string | null;
  wrong: string | null;
}

/** What there is to choose from; null when the Discord server was never looked at or cannot be seen any more. */
export function known(read: GuildOnDiscord | undefined): GuildOnDiscord | null {
  return read?.present && read.checked_at_ms != null ? read : null;
}

/** Why ids have to be pasted; undefined when they have not. */
export function unseen(read: GuildOnDiscord | undefined, failed: boolean): string | undefined {
  if (known(read) || (!read && !failed)) return undefined;
  if (!read) return 'We couldn’t load roles and channels. Paste IDs instead.';
  if (read.present === false) return 'The bot isn’t in this Discord server. Paste IDs instead.';
  return 'The bot hasn’t looked at this Discord server yet. Wait a moment, or paste IDs.';
}

/** The highest first, as on Discord. */
export function roleChoices(roles: readonly DiscordRole[]): Pick[] {
  return roles
    .filter(isThere)
    .sort((one, other) => other.position - one.position)
    .map((role) => ({ value: role.id, label: role.name, colour: colourOf(role), reason: reasonOf(role, ROLE_REASONS) }));
}

/** Text channels under their categories, both in the order of Discord; those without a category come first. */
export function channelChoices(channels: readonly DiscordChannel[]): Pick[] {
  const there = channels.filter(isThere).sort((one, other) => one.position - other.position);
  const groups = [null, ...there.filter(({ kind }) => kind === CATEGORY)];
  return groups.flatMap((group) =>
    there
      .filter(({ parent_id, kind, reason }) => (parent_id ?? null) === (group?.id ?? null) && kind !== CATEGORY && reason !== NOT_TEXT)
      .map((channel) => ({ value: channel.id, label: `#${channel.name}`, group: group?.name ?? '', reason: reasonOf(channel, CHANNEL_REASONS) })),
  );
}

export function chosenRole(read: GuildOnDiscord | undefined, id: string): Chosen {
  const role = read?.roles.find((one) => one.id === id);
  if (!role) return { id, label: id, wrong: known(read) ? NOT_FOUND : null };
  const unusable = known(read) ? reasonOf(role, ROLE_REASONS) : null;
  return { id, label: role.name, colour: colourOf(role), wrong: isThere(role) ? unusable : 'Deleted on Discord.' };
}

/** `id` may be something else that was typed; that is told by the form. */
export function chosenChannel(read: GuildOnDiscord | undefined, id: string): Chosen {
  const channel = read?.channels.find((one) => one.id === id);
  if (!channel) return { id, label: id, wrong: known(read) && /^\d{17,20}$/.test(id) ? NOT_FOUND : null };
  const unusable = known(read) ? reasonOf(channel, CHANNEL_REASONS) : null;
  return { id, label: `#${channel.name}`, wrong: isThere(channel) ? unusable : 'Deleted on Discord. Choose another channel.' };
}

/** What a role or channel is or was called. */
export function nameOf(read: GuildOnDiscord | undefined, id: string): string | undefined {
  const channel = read?.channels.find((one) => one.id === id);
  return channel ? `#${channel.name}` : read?.roles.find((one) => one.id === id)?.name;
}

function isThere({ gone_at_ms }: Place): boolean {
  return gone_at_ms == null;
}

function reasonOf({ reason }: Place, words: Record<string, string>): string | null {
  return (reason && words[reason]) || null;
}

/** `#rrggbb`; null for a role without a colour. */
function colourOf({ colour }: DiscordRole): string | null {
  return colour === 0 ? null : `#${colour.toString(16).padStart(6, '0')}`;
}
