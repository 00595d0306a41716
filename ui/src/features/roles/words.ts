// What became of roles and groups, in words.

import type { DryRunChange, RoleHistoryEntry } from '$lib/api/schema';
import type { Tone } from '$lib/ui/types';

/** What the role is or was called, where that is told. */
type Named = { role_name?: string | null };

/** "Add VIP on Discord", "Remove vip on EU Main". */
export function changeWords({ side, change }: Pick<DryRunChange, 'side' | 'change'>, role: string, group: string, server: string): string {
  const verb = change === 'add' ? 'Add' : 'Remove';
  return side === 'discord' ? `${verb} ${role} on Discord` : `${verb} ${group} on ${server}`;
}

const CAUSES: Record<RoleHistoryEntry['cause'], string> = {
  link: 'Linked',
  unlink: 'Unlinked',
  relink: 'Relinked',
  joined: 'Joined the Discord server',
  left: 'Left the Discord server',
  changed: 'Changed on Discord',
  report: 'Groups reported',
  plugin: 'A plugin or bot asked for it',
  settings: 'Rules or settings were changed',
  sweep: 'Nightly check',
  recheck: 'Everyone was re-checked',
  sync: 'Used /sync on Discord',
  blocked: 'Account was blocked',
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
  end: 'What it was given for ended',
};

/** The rule by which it happened, or what else asked for it. */
export function ruleWords({ rule, source }: Pick<RoleHistoryEntry, 'rule' | 'source'>): string {
  return rule ?? SOURCES[source] ?? source;
}

/** What was changed: a role, a group, or the nickname. */
export function whatWords(entry: Pick<RoleHistoryEntry, 'side' | 'change' | 'source' | 'role_id' | 'group' | 'server_name'> & Named): string {
  if (entry.source === 'nickname' && entry.role_id == null) return entry.change === 'add' ? 'Set the nickname' : 'Put the old nickname back';
  return changeWords(entry, roleOf(entry), entry.group ?? 'a group', entry.server_name ?? 'a Server that is gone');
}

export function roleOf({ role_id, role_name }: Pick<RoleHistoryEntry, 'role_id'> & Named): string {
  return role_name ?? role_id ?? 'a role';
}

/** "without → with". */
export function stateWords(state: boolean | null | undefined): string {
  if (state == null) return 'unknown';
  return state ? 'with' : 'without';
}

export const RESULTS: Record<RoleHistoryEntry['result'], { tone: Tone; label: string }> = {
  done: { tone: 'ok', label: 'Done' },
  waiting: { tone: 'info', label: 'Pending' },
  cannot: { tone: 'bad', label: 'Not possible' },
  gone: { tone: 'neutral', label: 'Not there' },
};

/** What is to be known about the result beyond its word. */
export function resultWords({ result, server_name }: Pick<RoleHistoryEntry, 'result' | 'server_name'>): string | null {
  if (result === 'waiting') return `Until the plugin on ${server_name ?? 'the Server'} fetches it.`;
  return result === 'gone' ? 'They’re not in the Discord server. It’s done when they return.' : null;
}
