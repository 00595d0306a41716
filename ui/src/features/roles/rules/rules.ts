// The rules of a Server as they are edited: what can be saved, what differs from what was read, and what was refused.

import type { RoleChoice, RoleRule, RoleRules, RoleRulesChange } from '$lib/api/schema';
import type { Pick } from '$lib/ui/picker';
import { ROLE_REASONS } from '../../bots/places';
import { isId } from '../../tenancy/guilds/ids';
import { fixOf } from '../reasons';
import { plain, tell } from './sentence';

/** A rule as it is sent. */
export type SentRule = RoleRulesChange['rules'][number];

const GROUP_MAX = 64;
const CONTROL = /\p{Cc}/u;

/** A rule in the editor; `key` follows it wherever it is moved. */
export interface Row extends Omit<RoleRule, 'id'> {
  key: string;
  /** Of a rule that was saved before. */
  id: string | null;
}

export interface RulesDraft {
  rows: Row[];
  /** Powerful roles that the Owner allows with this save. */
  allowed: string[];
}

type Directed = { direction: Row['direction'] };

export type RowProblems = { group?: string; role_id?: string };

export function draftOf({ rules }: { rules: readonly RoleRule[] }): RulesDraft {
  return { rows: rules.map((rule) => ({ ...rule, key: rule.id })), allowed: [] };
}

// A draft can be kept over a sign-in: its rows and those of the page after it must not share a key.
const LOADED = Date.now().toString(36);
let made = 0;
export function emptyRow(): Row {
  made += 1;
  return { key: `new-${LOADED}-${made}`, id: null, group: '', role_id: '', direction: 'to_discord', authority: 'discord', on_loss: 'remove' };
}

export function asRule({ id, group, role_id, direction, authority, on_loss }: Row): SentRule {
  return { ...(id !== null && { id }), group: groupName(group), role_id: role_id.trim(), direction, authority, on_loss };
}

/** As game servers keep it: they take `VIP` and `vip` for the same group. */
function groupName(group: string): string {
  return group.trim().toLowerCase();
}

/** What is to be saved, or null when nothing differs. A rule that somebody else removed meanwhile is a new one. */
export function changesOf(read: RoleRules, { rows, allowed }: RulesDraft): Omit<RoleRulesChange, 'revision'> | null {
  const known = new Set(read.rules.map(({ id }) => id));
  const rules = rows.map((row) => asRule(row.id !== null && known.has(row.id) ? row : { ...row, id: null }));
  const newly = allowed.filter((id) => rows.some((row) => row.role_id === id && mustBeAllowed(read.roles, row)));
  const same = JSON.stringify(rules) === JSON.stringify(draftOf(read).rows.map(asRule));
  return same && newly.length === 0 ? null : { rules, confirmed_roles: newly };
}

/** Each rule by its place. Names are not unique, ids are. */
export function describe({ rules, roles }: RoleRules): Record<string, string> {
  return Object.fromEntries(
    rules.map((rule, at) => {
      const role = roles.find(({ id }) => id === rule.role_id);
      return [`Rule ${at + 1}`, plain(tell(rule, role ? `${role.name} (${role.id})` : rule.role_id, null))];
    }),
  );
}

/** Whether the bot gives and takes the role, or only looks at who has it. */
export function gives({ direction }: Directed): boolean {
  return direction !== 'to_game';
}

/** Whether the Owner has to allow the role of this rule first. */
export function mustBeAllowed(roles: readonly RoleChoice[], row: Directed & { role_id: string }): boolean {
  return gives(row) && roles.some(({ id, reason, confirmed }) => id === row.role_id && reason === 'powerful' && !confirmed);
}

/** What is known of the Discord server; null when it was never looked at or cannot be seen any more. */
export function seen(read: { roles: RoleChoice[]; present?: boolean | null; checked_at_ms?: number | null }): RoleChoice[] | null {
  return read.present && read.checked_at_ms != null ? read.roles : null;
}

/** Why roles cannot be chosen from a list; undefined when they can. */
export function unseen(read: RoleRules): string | undefined {
  if (seen(read)) return undefined;
  if (read.present === false) return 'The bot isn’t in the Discord server, so nothing is changed there. Add it again on the Guild’s page. Until then, you can paste the IDs of roles that it has seen.';
  return 'The bot hasn’t looked at the Discord server yet, so there are no roles to choose from. This page fills in by itself once it has.';
}

/** The highest first, as on Discord. What can be put right on Discord can be chosen now. */
export function roleChoices(roles: readonly RoleChoice[], row: Directed, owner: boolean): Pick[] {
  return roles
    .filter(({ reason }) => reason !== 'gone')
    .toSorted((one, other) => other.position - one.position)
    .map((role) => {
      const words = gives(row) ? reasonOf(role, owner) : null;
      const blocks = role.reason === 'managed' || (role.reason === 'powerful' && !owner);
      return { value: role.id, label: role.name, colour: colourOf(role), ...(words && (blocks ? { reason: words } : { note: words })) };
    });
}

/** That the bot may manage none is told once, above the rules. */
function reasonOf(role: RoleChoice, owner: boolean): string | null {
  if (role.reason == null || role.reason === 'no_permission' || (role.reason === 'powerful' && role.confirmed)) return null;
  if (role.reason !== 'powerful') return ROLE_REASONS[role.reason] ?? null;
  return owner ? 'Lets people run the Discord server. You’ll be asked to allow it.' : 'Lets people run the Discord server. Only the Owner can allow it.';
}

/** `#rrggbb`; null for a role without a colour. */
export function colourOf({ colour }: RoleChoice): string | null {
  return colour === 0 ? null : `#${colour.toString(16).padStart(6, '0')}`;
}

/** What a role is called: its id when nothing is known of it. */
export function roleName(roles: readonly RoleChoice[], id: string): string {
  return roles.find((role) => role.id === id)?.name ?? id;
}

/** What keeps a rule with this role from working, though it can be saved. */
export function warningOf(read: RoleRules, row: Row): string | null {
  const role = read.roles.find(({ id }) => id === row.role_id);
  if (role?.reason == null || role.reason === 'powerful') return null;
  return role.reason === 'gone' || (seen(read) && gives(row)) ? fixOf(role.reason, role.name) : null;
}

/** What has to be put right before a save, by the key of the rule. */
export function problemsOf(read: RoleRules, { rows, allowed }: RulesDraft, owner: boolean): Record<string, RowProblems> {
  const problems: Record<string, RowProblems> = {};
  rows.forEach((row, at) => {
    const group = groupProblem(row.group);
    const role = roleProblem(read, row, allowed, owner) ?? twice(rows, at);
    if (group || role) problems[row.key] = { ...(group && { group }), ...(role && { role_id: role }) };
  });
  return problems;
}

function groupProblem(group: string): string | null {
  const name = group.trim();
  if (!name) return 'Choose or type a group.';
  return [...name].length > GROUP_MAX || CONTROL.test(name) ? `Use at most ${GROUP_MAX} characters on one line.` : null;
}

function roleProblem(read: RoleRules, row: Row, allowed: readonly string[], owner: boolean): string | null {
  const id = row.role_id.trim();
  if (!id) return 'Choose a role.';
  if (!isId(id)) return seen(read) ? 'No role is called that. Choose one from the list, or paste its ID.' : 'A role ID has 17 to 20 digits.';
  if (!read.roles.some((role) => role.id === id)) return seen(read) ? 'Not found in this Discord server. Choose another role.' : 'The bot hasn’t seen this role in the Discord server, so it can’t be used yet.';
  if (!mustBeAllowed(read.roles, row) || allowed.includes(id)) return null;
  const name = roleName(read.roles, id);
  return owner ? `${name} lets people run the Discord server. Allow it, or choose another role.` : `${name} lets people run the Discord server. Only the Owner can allow it.`;
}

/** A rule that ties what another one ties already. */
function twice(rows: readonly Row[], at: number): string | null {
  const row = rows[at]!;
  const other = rows.findIndex((one, i) => i !== at && one.role_id === row.role_id && groupName(one.group) === groupName(row.group));
  return other < 0 || !row.group.trim() ? null : `Rule ${other + 1} ties the same group and role. Remove one of them.`;
}

/** What the server said about one rule, by its key; empty when it was about none. A rule of another Server may be the other one. */
export function refusedRows({ code, extra }: { code: string; extra: Record<string, unknown> }, sent: readonly Row[]): Record<string, RowProblems> {
  const row = typeof extra.row === 'number' ? sent[extra.row] : undefined;
  const words = REFUSALS[code];
  return row && words ? { [row.key]: { role_id: words } } : {};
}

const REFUSALS: Record<string, string> = {
  MAPPING_TWICE: 'Another rule of this Guild changes the same role or group. Change or remove one of them.',
  MAPPING_RING: 'Goes round in a circle with other rules of this Guild: what it gives comes back to it. Change the direction of one of them.',
  ROLE_TOO_POWERFUL: 'This role lets people run the Discord server. Only the Owner can allow it.',
  RULE_LEADS_TO_POWER: 'Through another rule, this one leads to a role that lets people run the Discord server. Only the Owner can save it.',
};
