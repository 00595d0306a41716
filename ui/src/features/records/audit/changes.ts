// What an entry of the audit log says was set: each setting before and after, in the words of its form.

import type { Accent, AuditEntry } from '$lib/api/schema';
import { permissionLabel } from '$lib/can';
import { duration, number, sentence } from '$lib/format';
import { ACCENT_NAMES } from '../../tenancy/linkpage/accents';

export interface Change {
  label: string;
  /** Left out by entries that know only what was set. */
  from?: string;
  to: string;
}

const SETTINGS: Record<string, string> = {
  name: 'Name',
  slug: 'Short name',
  refuse_query_keys: 'Refuse keys in URLs',
  log_channel_id: 'Log channel',
  verified_roles: 'Verified roles',
  booster_roles: 'Booster roles',
  plugin_roles: 'Roles plugins can grant',
  nickname_template: 'Nickname',
  steam_group: 'Steam group',
  join_mode: 'Discord server membership',
  invite_url: 'Invite URL',
  relink_cooldown_ms: 'Relink cooldown',
  bare_ids: 'Return IDs without quotes',
  linked_group: 'Group for linked players',
  booster_group: 'Group for boosters',
  steam_members_group: 'Group for Steam group members',
  poll_seconds: 'Poll interval in seconds',
  actions: 'Actions',
  role: 'Role',
  accent: 'Colour',
  enabled: 'Cleanup',
  days: 'Days until dormant',
  grace_days: 'Grace period in days',
};
const JOIN_MODES: Record<string, string> = { off: 'Not required', invite: 'Join with an invite', auto: 'Add automatically' };
const CHANGING = ['org.changed', 'guild.changed', 'server.changed', 'key.edited', 'member.changed'];

export function changesOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): Change[] {
  if (action === 'org.cleanup_changed') return beforeAndAfter(detail);
  if (!CHANGING.includes(action)) return [];
  return Object.entries(detail).flatMap(([field, value]) => changeOf(field, value));
}

/** Of an entry that holds everything before and after. */
function beforeAndAfter({ before, after }: Record<string, unknown>): Change[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  return Object.entries(after).flatMap(([field, to]) => changeOf(field, { from: before[field], to }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function changeOf(field: string, value: unknown): Change[] {
  if (field === 'granted' || field === 'taken') {
    const permissions = (value as string[]).map(permissionLabel);
    return permissions.length ? [{ label: field === 'granted' ? 'Permissions granted' : 'Permissions removed', to: permissions.join(', ') }] : [];
  }
  const label = SETTINGS[field] ?? field;
  if (!isChange(value)) return [{ label, to: shown(field, value) }];
  const { from, to } = value;
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return differences(label, from, to);
  return [{ label, from: shown(field, from), to: shown(field, to) }];
}

/** Of a list, only what came and what went. */
function differences(label: string, from: unknown[], to: unknown[]): Change[] {
  const part = (word: string, some: unknown[]): Change[] => (some.length ? [{ label: `${label} ${word}`, to: some.join(', ') }] : []);
  return [
    ...part('added', to.filter((one) => !from.includes(one))),
    ...part('removed', from.filter((one) => !to.includes(one))),
  ];
}

function isChange(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
}

function shown(field: string, value: unknown): string {
  if (field.endsWith('_ms') && typeof value === 'number') return value ? duration(value) : 'None';
  if (field === 'join_mode') return JOIN_MODES[String(value)] ?? String(value);
  if (field === 'accent') return ACCENT_NAMES[value as Accent] ?? String(value);
  if (field === 'role') return sentence(String(value));
  if (field === 'actions' && typeof value === 'string') return value.split(',').join(', ');
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.join(', ') || 'None';
  return value === null || value === '' ? 'None' : String(value);
}
