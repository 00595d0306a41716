// What the settings form of a Guild holds, what of it can be saved, and what differs from what was read.

import type { GuildChange, GuildWithSettings } from '$lib/api/schema';
import { duration } from '$lib/format';
import { sameSet } from '$lib/groups';
import { isId, parseIds } from './ids';
import { templateProblem } from './nickname';
import { slugProblem } from './slug';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const LONGEST = 90 * DAY;
const INVITE = /^https:\/\/(discord\.gg|discord\.com\/invite)\/[A-Za-z0-9-]{1,32}$/;

export const JOIN_TITLES = { off: 'Not required', invite: 'Join with an invite', auto: 'Add automatically' } as const;

export interface GuildDraft {
  name: string;
  slug: string;
  log_channel_id: string;
  verified_roles: string[];
  booster_roles: string[];
  plugin_roles: string[];
  /** Blank leaves nicknames alone. */
  nickname_template: string;
  steam_group: string;
  join_mode: GuildWithSettings['join_mode'];
  invite_url: string;
  cooldown: [amount: string, unit: 'days' | 'hours'];
}

export function draftOf(guild: GuildWithSettings): GuildDraft {
  const days = guild.relink_cooldown_ms % DAY === 0;
  return {
    name: guild.name,
    slug: guild.slug,
    log_channel_id: guild.log_channel_id ?? '',
    verified_roles: [...guild.verified_roles],
    booster_roles: [...guild.booster_roles],
    plugin_roles: [...guild.plugin_roles],
    nickname_template: guild.nickname_template ?? '',
    steam_group: guild.steam_group?.pasted ?? '',
    join_mode: guild.join_mode,
    invite_url: guild.invite_url ?? '',
    cooldown: [String(guild.relink_cooldown_ms / (days ? DAY : HOUR)), days ? 'days' : 'hours'],
  };
}

/** Each field by its label, as people read it. */
export function describe(guild: GuildWithSettings): Record<string, string> {
  return describeWith(guild, () => undefined);
}

/** The same with roles and channels by the names that are known. Names are not unique, ids are. */
export function describeWith(guild: GuildWithSettings, called: (id: string) => string | undefined): Record<string, string> {
  const one = (id: string) => (called(id) ? `${called(id)} (${id})` : id);
  const ids = (list: readonly string[]) => list.map(one).join(', ') || 'none';
  return {
    Name: guild.name,
    'Short name': guild.slug,
    'Log Channel ID': guild.log_channel_id ? one(guild.log_channel_id) : 'none',
    'Verified roles': ids(guild.verified_roles),
    'Booster roles': ids(guild.booster_roles),
    'Roles plugins can grant': ids(guild.plugin_roles),
    Nickname: guild.nickname_template ?? 'none',
    'Steam group': guild.steam_group?.pasted ?? 'none',
    'Discord server membership': JOIN_TITLES[guild.join_mode],
    'Invite URL': guild.invite_url ?? 'none',
    'Relink cooldown': guild.relink_cooldown_ms === 0 ? 'none' : duration(guild.relink_cooldown_ms),
  };
}

/** Null when it is not a time that can be saved. */
export function cooldownMs([amount, unit]: GuildDraft['cooldown']): number | null {
  const text = amount.trim();
  if (!/^\d+(\.\d+)?$/.test(text)) return null;
  const ms = Math.round(Number(text) * (unit === 'days' ? DAY : HOUR));
  return ms <= LONGEST ? ms : null;
}

/** Only what differs, or null when nothing does. */
export function changesOf(guild: GuildWithSettings, draft: GuildDraft): GuildChange | null {
  const change: GuildChange = {};
  const text = (value: string) => value.trim() || null;
  if (draft.name.trim() !== guild.name) change.name = draft.name.trim();
  if (draft.slug !== guild.slug) change.slug = draft.slug;
  const channel = parseIds(draft.log_channel_id).ids[0] ?? text(draft.log_channel_id);
  if (channel !== (guild.log_channel_id ?? null)) change.log_channel_id = channel;
  for (const list of ['verified_roles', 'booster_roles', 'plugin_roles'] as const) {
    if (!sameSet(draft[list], guild[list])) change[list] = [...draft[list]];
  }
  if (text(draft.nickname_template) !== (guild.nickname_template ?? null)) change.nickname_template = text(draft.nickname_template);
  if (text(draft.steam_group) !== (guild.steam_group?.pasted ?? null)) change.steam_group = text(draft.steam_group);
  if (draft.join_mode !== guild.join_mode) change.join_mode = draft.join_mode;
  if (text(draft.invite_url) !== (guild.invite_url ?? null)) change.invite_url = text(draft.invite_url);
  const cooldown = cooldownMs(draft.cooldown);
  if (cooldown !== guild.relink_cooldown_ms) change.relink_cooldown_ms = cooldown;
  return Object.keys(change).length > 0 ? change : null;
}

export type Problems = Partial<Record<keyof GuildDraft, string>>;

export function problemsOf(draft: GuildDraft): Problems {
  const problems: Problems = {};
  const name = draft.name.trim();
  if (!name) problems.name = 'Enter a name.';
  else if ([...name].length > 64) problems.name = 'Use at most 64 characters.';
  const slug = slugProblem(draft.slug);
  if (slug) problems.slug = slug;
  const channel = draft.log_channel_id.trim();
  if (channel && !isId(parseIds(channel).ids[0] ?? '')) {
    problems.log_channel_id = 'A channel ID has 17 to 20 digits. In Discord, right-click the channel and choose Copy Channel ID.';
  }
  const nickname = templateProblem(draft.nickname_template);
  if (nickname) problems.nickname_template = nickname;
  const invite = draft.invite_url.trim();
  if (invite && !INVITE.test(invite)) {
    problems.invite_url = 'Invites start with https://discord.gg/ or https://discord.com/invite/.';
  }
  if (cooldownMs(draft.cooldown) === null) problems.cooldown = 'Enter a number from 0 to 90 days.';
  return problems;
}
