// What became of roles and groups, in words.

import type { DryRunChange, RoleHistoryEntry } from '$lib/api/schema';
import type { Tone } from '$lib/ui/types';
import { fixOf } from './reasons';

/** What the role is or was called, where that is told. */
type Named = { role_name?: string | null };

const VERBS = { add: ['Add', 'Added'], remove: ['Remove', 'Removed'] } as const;

/** "Add VIP on Discord", "Removed vip on EU Main". */
export function changeWords({ side, change }: Pick<DryRunChange, 'side' | 'change'>, role: string, group: string, server: string, done = false): string {
  const verb = VERBS[change][done ? 1 : 0];
  return side === 'discord' ? `${verb} ${role} on Discord` : `${verb} ${group} on ${server}`;
}

const CAUSES: Record<RoleHistoryEntry['cause'], string> = {
  link: 'Linked',
  unlink: 'Unlinked',
  relink: 'Relinked',
  joined: 'Joined the Discord server',
  left: 'Left the Discord server',
  changed: 'Changed on Discord',
  report: 'Reported by the plugin',
  plugin: 'A plugin or bot asked for it',
  settings: 'Rules or settings were changed',
  sweep: 'Nightly check',
  recheck: 'Everyone was re-checked',
  sync: 'Someone used /sync on Discord',
  blocked: 'Account was blocked or unblocked',
};

/** What set it off; a word that this version does not know stays as it is. */
export function causeWords(cause: RoleHistoryEntry['cause']): string {
  return CAUSES[cause] ?? cause;
}

const SOURCES: Record<RoleHistoryEntry['source'], string> = {
  rule: 'A rule that is gone',
  verified: 'Verified roles',
  booster: 'Booster roles',
  grant: 'Granted by a plugin',
  nickname: 'Nickname template',
  end: 'What it was given for has ended',
};

/** The rule by which it happened, or what else asked for it. */
export function ruleWords({ rule, source }: Pick<RoleHistoryEntry, 'rule' | 'source'>): string {
  return rule ?? SOURCES[source] ?? source;
}

/** What was changed: a role, a group or a nickname. */
export function whatWords(entry: Pick<RoleHistoryEntry, 'side' | 'change' | 'source' | 'result' | 'role_id' | 'group' | 'server_name'> & Named): string {
  const done = entry.result === 'done';
  if (entry.source === 'nickname') return entry.change === 'add' ? 'Set the nickname on Discord' : `${done ? 'Restored' : 'Restore'} the old nickname on Discord`;
  return changeWords(entry, roleOf(entry), entry.group ?? 'a group', entry.server_name ?? 'a Server that is gone', done);
}

export function roleOf({ role_id, role_name }: Pick<RoleHistoryEntry, 'role_id'> & Named): string {
  return role_name ?? role_id ?? 'a role';
}

/** What was and what is, in one part or two; empty where nothing is known. */
export function stateWords({ before, after, result, source }: Pick<RoleHistoryEntry, 'before' | 'after' | 'result' | 'source'>): string[] {
  if (source === 'nickname') return [];
  if (result === 'waiting') return after == null ? [] : [after ? 'Doesn’t have it yet' : 'Still has it'];
  const was = before == null ? [] : [before ? 'Had it' : 'Didn’t have it'];
  if (after == null) return result === 'cannot' && before != null ? [before ? 'Still has it' : 'Still doesn’t have it'] : was;
  return [...was, was.length ? (after ? 'has it' : 'doesn’t have it') : after ? 'Has it' : 'Doesn’t have it'];
}

export const RESULTS: Record<RoleHistoryEntry['result'], { tone: Tone; label: string }> = {
  done: { tone: 'ok', label: 'Done' },
  waiting: { tone: 'info', label: 'Pending' },
  cannot: { tone: 'bad', label: 'Can’t be done' },
  gone: { tone: 'neutral', label: 'Not there' },
};

/** What is to be known about the result beyond its word. */
export function resultWords({ result, change, server_name }: Pick<RoleHistoryEntry, 'result' | 'change' | 'server_name'>): string | null {
  if (result === 'waiting') return `Until the plugin on ${server_name ?? 'the Server'} fetches and confirms it.`;
  if (result !== 'gone') return null;
  return change === 'add' ? 'They’re not in the Discord server. They’re checked again when they return.' : 'They’ve left the Discord server, and the role with it.';
}

/** Why it can’t be done, or what else is to be known of it. */
export function aboutWords(entry: RoleHistoryEntry): string | null {
  if (entry.result !== 'cannot' || !entry.reason) return resultWords(entry);
  if (entry.source === 'nickname') return 'The bot can’t rename the owner of the Discord server or anyone whose highest role is above its own.';
  return fixOf(entry.reason, roleOf(entry));
}
