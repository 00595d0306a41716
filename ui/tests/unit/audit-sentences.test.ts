import { describe, expect, test } from 'vitest';
import spec from '../../openapi.json';
import type { AuditEntry, AuditName } from '../../src/lib/api/schema';
import { date } from '../../src/lib/format';
import { changesOf } from '../../src/features/records/audit/changes';
import { choiceOf, nameBook } from '../../src/features/records/audit/names';
import { KINDS, kindChoices, kindLabel, plain, tell } from '../../src/features/records/audit/sentence';

/** Every kind that the server writes, from its own description. */
const ACTIONS: string[] = spec.components.schemas.AuditAction.enum;

const NAMES: AuditName[] = [
  { id: 'usr_bruno', kind: 'account', name: 'Bruno', gone: false },
  { id: 'org_haven', kind: 'org', name: 'Rust Haven', gone: false },
  { id: 'gld_eu', kind: 'guild', name: 'Ashfall EU', gone: false },
  { id: 'gld_old', kind: 'guild', name: 'Ashfall Classic', gone: true },
  { id: 'srv_main', kind: 'server', name: 'EU Main', gone: false },
  { id: 'srv_old', kind: 'server', name: 'EU Old', gone: true },
  { id: 'key_main', kind: 'plugin_key', name: 'EU Main', server_id: 'srv_main', gone: false },
  { id: 'key_bot', kind: 'bot_key', name: 'EU Main', server_id: 'srv_main', gone: false },
  { id: 'key_web', kind: 'custom_key', name: 'Website', gone: false },
  { id: 'key_old', kind: 'custom_key', name: 'Old panel', gone: true },
  { id: 'lnk_river', kind: 'link', name: 'rivercrow59', gone: false },
  { id: 'lnk_erased', kind: 'link', name: null, gone: false },
  { id: 'inv_staff', kind: 'invite', name: 'staff', gone: false },
];

const UNTIL = Date.UTC(2027, 0, 12, 12);
const may = () => true;
const all = nameBook(NAMES, 'o1', may);
const ADA = { actor_kind: 'account', actor_id: 'usr_ada', actor_name: 'Ada' };
const PLUGIN = { actor_kind: 'key', actor_id: 'key_main', actor_name: null };
const PLAYER = { actor_kind: 'player', actor_id: null, actor_name: null };
const OPERATOR = { actor_kind: 'operator_cli', actor_id: null, actor_name: null };
const SYSTEM = { actor_kind: 'system', actor_id: null, actor_name: null };

type Some = Partial<AuditEntry> & { action: string };
const entry = (some: Some): AuditEntry => ({ seq: 1, at_ms: 0, target: null, detail: {}, ...ADA, ...some });
const told = (some: Some, names = all) => plain(tell(entry(some), names));

/** One entry of each kind as the server writes it, and some more where the sentence depends on it. */
const SENTENCES: Array<[string, Some]> = [
  ['Ada created the organisation', { action: 'org.created', target: 'org_1' }],
  ['Ada changed the organisation’s settings', { action: 'org.changed', detail: { name: { from: 'A', to: 'B' } } }],
  ['Ada deleted the organisation with 12 links', { action: 'org.removed', detail: { links_ended: 12 } }],
  ['Ada transferred the organisation to Bruno', { action: 'org.owner_changed', target: 'usr_bruno' }],
  ['Ada changed the link page buttons (from 1 to 2)', { action: 'org.navigation_changed', detail: { from: 1, to: 2 } }],
  ['Ada changed the trust settings', { action: 'org.trust_changed', detail: { before: {}, after: {} } }],
  ['Ada turned the cleanup of dormant accounts on', { action: 'org.cleanup_changed', detail: { before: { enabled: false, days: 90, grace_days: 7 }, after: { enabled: true, days: 90, grace_days: 7 } } }],
  ['Ada turned the cleanup of dormant accounts off', { action: 'org.cleanup_changed', detail: { before: { enabled: true }, after: { enabled: false } } }],
  ['Ada changed the cleanup of dormant accounts', { action: 'org.cleanup_changed', detail: { before: { enabled: true, days: 90, grace_days: 7 }, after: { enabled: true, days: 30, grace_days: 7 } } }],
  ['An operator changed the plan from Free to Pro', { action: 'org.tier_changed', ...OPERATOR, detail: { from: 'free', to: 'pro' } }],
  [`An operator gave the organisation the plan Pro until ${date(UNTIL)}`, { action: 'org.tier_granted', ...OPERATOR, detail: { tier: 'pro', until_ms: UNTIL } }],
  ['An operator gave the organisation the plan Standard', { action: 'org.tier_granted', ...OPERATOR, detail: { tier: 'standard', until_ms: null } }],
  ['An operator took back the plan they had given', { action: 'org.tier_granted', ...OPERATOR, detail: { tier: null } }],
  ['The plan Pro that an operator gave has ended', { action: 'org.tier_grant_ended', ...SYSTEM, detail: { tier: 'pro' } }],
  ['Ada opened checkout for Pro, yearly', { action: 'billing.checkout_opened', detail: { offer: 'pro_year' } }],
  ['Ada opened checkout for Standard, monthly', { action: 'billing.checkout_opened', detail: { offer: 'standard_month' } }],
  ['Ada opened checkout for a Custom Bot for the Guild Ashfall EU', { action: 'billing.checkout_opened', target: 'gld_eu', detail: { offer: 'bot_month' } }],
  ['Ada opened checkout for a Custom Bot for a removed Guild', { action: 'billing.checkout_opened', target: 'gld_gone', detail: { offer: 'bot_month' } }],
  ['Ada opened the billing portal', { action: 'billing.portal_opened' }],
  ['The subscription to Standard is active', { action: 'billing.subscription_changed', ...SYSTEM, detail: { status: 'active', tier: 'standard', bot: false, ends_at_ms: null } }],
  [`The subscription for a Custom Bot is active and ends on ${date(UNTIL)}`, { action: 'billing.subscription_changed', ...SYSTEM, detail: { status: 'active', tier: null, bot: true, ends_at_ms: UNTIL } }],
  ['The subscription to Pro and for a Custom Bot has ended', { action: 'billing.subscription_changed', ...SYSTEM, detail: { status: 'canceled', tier: 'pro', bot: true, ends_at_ms: UNTIL } }],
  ['The subscription is in a state that Symbolon doesn’t know', { action: 'billing.subscription_changed', ...SYSTEM, detail: { status: 'toString', tier: null, bot: false, ends_at_ms: null } }],
  ['Ada had a subscription forgotten that Stripe no longer knows (sub_1): of an old account', { action: 'billing.subscription_forgotten', detail: { subscription: 'sub_1', tier: 'pro', bot: false, reason: 'of an old account' } }],
  ['Ada joined as Staff', { action: 'member.added', detail: { role: 'staff', invite: 'inv_staff' } }],
  ['Symbolon added Bruno as Admin', { action: 'member.added', ...SYSTEM, target: 'usr_bruno', detail: { role: 'admin' } }],
  ['Ada gave Bruno the role Admin', { action: 'member.changed', target: 'usr_bruno', detail: { role: { from: 'staff', to: 'admin' }, granted: [], taken: [] } }],
  ['Ada changed the permissions of Bruno', { action: 'member.changed', target: 'usr_bruno', detail: { role: { from: 'staff', to: 'staff' }, granted: ['links.view'], taken: [] } }],
  ['Ada removed Bruno from the team', { action: 'member.removed', target: 'usr_bruno' }],
  ['Ada removed a deleted account from the team', { action: 'member.removed', target: 'usr_gone' }],
  ['Ada left the team', { action: 'member.left' }],
  ['A deleted account left the team', { action: 'member.left', actor_id: 'usr_gone', actor_name: null }],
  ['A deleted account left the team', { action: 'member.left', ...PLAYER }],
  ['A deleted account left the team', { action: 'member.left', ...OPERATOR }],
  ['Ada created an Admin invite', { action: 'invite.created', target: 'inv_gone', detail: { role: 'admin', expires: '7d' } }],
  ['Ada re-issued a Staff invite', { action: 'invite.reissued', target: 'inv_staff' }],
  ['Ada revoked an invite', { action: 'invite.revoked', target: 'inv_gone' }],
  ['Ada exported the audit log', { action: 'audit.exported' }],
  ['Ada added the Guild Ashfall EU', { action: 'guild.created', target: 'gld_eu' }],
  ['Ada changed the settings of the Guild Ashfall EU', { action: 'guild.changed', target: 'gld_eu' }],
  ['Ada changed the settings of the Guild Ashfall Classic (removed)', { action: 'guild.changed', target: 'gld_old' }],
  ['Ada removed the Guild Ashfall Classic with 2 Servers and 1,300 links', { action: 'guild.removed', target: 'gld_old', detail: { servers: 2, links_ended: 1300 } }],
  ['Ada had everyone re-checked in the Guild Ashfall EU', { action: 'guild.recheck_started', target: 'gld_eu' }],
  ['Ada cancelled the re-check of everyone in the Guild Ashfall EU', { action: 'guild.recheck_cancelled', target: 'gld_eu' }],
  ['Ada saved the token of a Custom Bot for the Guild Ashfall EU', { action: 'bot.token_saved', target: 'gld_eu', detail: { identity: 'new' } }],
  ['Ada replaced the token of the Custom Bot of the Guild Ashfall EU', { action: 'bot.token_saved', target: 'gld_eu', detail: { identity: 'same' } }],
  ['Ada replaced the Custom Bot with another bot in a removed Guild', { action: 'bot.token_saved', target: 'gld_gone', detail: { identity: 'other' } }],
  ['Ada had the Custom Bot of the Guild Ashfall EU tried again', { action: 'bot.retried', target: 'gld_eu' }],
  ['Ada removed the Custom Bot of the Guild Ashfall EU', { action: 'bot.removed', target: 'gld_eu' }],
  ['Ada added the Server EU Main', { action: 'server.created', target: 'srv_main', detail: { key: 'key_main' } }],
  ['Ada added the Server EU Old (deleted)', { action: 'server.created', target: 'srv_old' }],
  ['Ada added a deleted Server', { action: 'server.created', target: 'srv_gone' }],
  ['Ada activated the Server EU Main', { action: 'server.activated', target: 'srv_main' }],
  ['Ada deactivated the Server EU Main', { action: 'server.deactivated', target: 'srv_main' }],
  ['Ada changed the settings of the Server EU Main', { action: 'server.changed', target: 'srv_main' }],
  ['Ada changed the rules for roles and groups of the Server EU Main', { action: 'server.roles_changed', target: 'srv_main' }],
  ['Ada deleted the Server EU Old', { action: 'server.deleted', target: 'srv_old', detail: { name: 'EU Old' } }],
  ['Ada created the key Website', { action: 'key.created', target: 'key_web', detail: { actions: 'count' } }],
  ['An operator created the bot key of EU Main', { action: 'key.created', ...OPERATOR, target: 'key_gone', detail: { kind: 'bot', server: 'srv_main', prefix: 'svc_live_00' } }],
  ['Ada changed the key Website', { action: 'key.edited', target: 'key_web' }],
  ['Ada revealed the key of EU Main', { action: 'key.revealed', target: 'key_main', detail: { server: 'srv_main' } }],
  ['Ada revealed the key of EU Old (deleted)', { action: 'key.revealed', target: 'key_gone', detail: { server: 'srv_old' } }],
  ['Ada revealed a deleted key', { action: 'key.revealed', target: 'key_gone', detail: { actions: 'count' } }],
  ['Ada regenerated the key of EU Main', { action: 'key.regenerated', target: 'key_main', detail: { server: 'srv_main', prefix: 'svc_live_00' } }],
  ['Ada revoked the key Old panel (removed)', { action: 'key.revoked', target: 'key_old' }],
  ['Ada removed the key Old panel', { action: 'key.removed', target: 'key_old', detail: { name: 'Old panel' } }],
  ['Someone tried an old key of EU Main', { action: 'key.retired_used', ...SYSTEM, target: 'key_main' }],
  ['Someone tried the removed key Old panel', { action: 'key.retired_used', ...SYSTEM, target: 'key_old' }],
  ['rivercrow59 linked', { action: 'link.created', ...PLAYER, target: 'lnk_river', detail: { guild: 'gld_eu' } }],
  ['An erased player linked', { action: 'link.created', ...PLAYER, target: 'lnk_erased' }],
  ['A player linked', { action: 'link.created', ...PLAYER, target: 'lnk_hidden' }],
  ['Symbolon linked rivercrow59', { action: 'link.created', ...SYSTEM, target: 'lnk_river' }],
  ['A new link replaced the link of rivercrow59', { action: 'link.relinked', ...PLAYER, target: 'lnk_river', detail: { cause: 'relink' } }],
  ['Plugin of EU Main unlinked rivercrow59 (plugin)', { action: 'link.removed', ...PLUGIN, target: 'lnk_river', detail: { cause: 'plugin', guild: 'gld_eu' } }],
  ['Plugin of EU Main unlinked an erased player (plugin)', { action: 'link.removed', ...PLUGIN, target: 'lnk_erased', detail: { cause: 'plugin' } }],
  ['Symbolon unlinked rivercrow59 (dormant)', { action: 'link.removed', ...SYSTEM, target: 'lnk_river', detail: { cause: 'zombie-cleanup' } }],
  ['Key Website unlinked rivercrow59 (plugin)', { action: 'link.removed', ...PLUGIN, actor_id: 'key_web', target: 'lnk_river', detail: { cause: 'plugin' } }],
  ['A deleted key unlinked rivercrow59 (plugin)', { action: 'link.removed', ...PLUGIN, actor_id: 'key_gone', target: 'lnk_river', detail: { cause: 'plugin' } }],
  ['rivercrow59 unlinked', { action: 'link.removed', ...PLAYER, target: 'lnk_river', detail: { cause: 'user' } }],
  ['A player erased their data, ending 1 link', { action: 'person.erased', ...PLAYER, detail: { links_ended: 1 } }],
  ['A player erased their data', { action: 'person.erased', ...PLAYER, detail: { links_ended: 0 } }],
  ['An operator erased a player’s data, ending 12 links', { action: 'person.erased', ...OPERATOR, detail: { links_ended: 12 } }],
  ['An operator erased a player’s data', { action: 'person.erased', ...OPERATOR }],
  ['An operator looked a person up in all organisations', { action: 'person.looked_up', ...OPERATOR, target: 'usr_bruno', detail: { by: 'discord', accounts: ['usr_bruno'], links: [] } }],
  ['Someone deleted their account', { action: 'account.deleted', actor_id: 'usr_gone', actor_name: null, target: 'usr_gone' }],
  ['Someone deleted their account', { action: 'account.deleted', ...PLAYER, target: 'usr_gone' }],
  ['An operator deleted an account', { action: 'account.deleted', ...OPERATOR, target: 'usr_gone' }],
  ['Ada viewed rivercrow59’s page', { action: 'user.viewed', target: 'lnk_river' }],
  ['Ada viewed an erased player’s page', { action: 'user.viewed', target: 'lnk_erased' }],
  ['Ada viewed a player’s page', { action: 'user.viewed', target: 'lnk_gone' }],
  ['Ada exported analytics', { action: 'analytics.exported' }],
  ['Ada exported the list of users', { action: 'users.exported' }],
  ['Ada started to end 1,200 links', { action: 'users.unlink_started', detail: { links: 1200, guild: null } }],
  ['Ada started to end 1 link in the Guild Ashfall EU', { action: 'users.unlink_started', detail: { links: 1, guild: 'gld_eu' } }],
  ['Ada started to end 12 links in the Guild Ashfall Classic (removed)', { action: 'users.unlink_started', detail: { links: 12, guild: 'gld_old' } }],
  ['Ada started to end 12 links in a removed Guild', { action: 'users.unlink_started', detail: { links: 12, guild: 'gld_gone' } }],
  ['A bulk unlink by Ada ended 1,199 of 1,200 links', { action: 'users.unlink_finished', detail: { links: 1200, ended: 1199 } }],
  ['Ada cancelled a bulk unlink when 1,040 of 1,200 links had ended', { action: 'users.unlink_cancelled', detail: { links: 1200, ended: 1040 } }],
  ['Symbolon looked for dormant accounts: flagged 12 links, took 1 flag off and ended 3 links', { action: 'users.cleanup_ran', ...SYSTEM, detail: { flagged: 12, cleared: 1, ended: 3 } }],
  ['Symbolon looked for dormant accounts', { action: 'users.cleanup_ran', ...SYSTEM, detail: { flagged: 0, cleared: 0, ended: 0 } }],
  ['Ada kept 1 link flagged as dormant', { action: 'users.kept', detail: { links: 1 } }],
  ['Ada started to import 3 links and 2 ended links into the Guild Ashfall EU', { action: 'import.started', target: 'gld_eu', detail: { active: 3, ended: 2, rows: 8 } }],
  ['The import that Ada started has ended: 3 links and 2 ended links added to the Guild Ashfall EU, 1 row refused', { action: 'import.finished', target: 'gld_eu', detail: { active: 3, ended: 2, refused: 1, rows: 8 } }],
  ['Ada cancelled an import into the Guild Ashfall EU after 1 link and 0 ended links', { action: 'import.cancelled', target: 'gld_eu', detail: { active: 1, ended: 0, rows: 8 } }],
  ['An operator imported 1 active link and 2 ended links into the Guild Ashfall EU', { action: 'links.imported', ...OPERATOR, target: 'gld_eu', detail: { active: 1, ended: 2 } }],
  ['An operator retried pending work (guild.end)', { action: 'job.retried', ...OPERATOR, detail: { kind: 'guild.end', job: 7 } }],
  ['An operator dropped pending work (log.linked)', { action: 'job.dropped', ...OPERATOR, detail: { kind: 'log.linked', job: 7 } }],
  ['An operator dropped pending work (log.linked) in Rust Haven', { action: 'job.dropped', ...OPERATOR, detail: { kind: 'log.linked', job: 7, org: 'org_haven' } }],
  ['An operator looked at the secret of a bot', { action: 'bot_secret.shown', ...OPERATOR, detail: { bot: 'platform' } }],
  ['An operator rotated the secret of a bot', { action: 'bot_secret.rotated', ...OPERATOR, detail: { bot: 'platform' } }],
  ['An operator added a webhook', { action: 'webhook.added', ...OPERATOR, target: 'whk_1', detail: { org: 'org_1' } }],
  ['An operator rotated the secret of a webhook', { action: 'webhook.rotated', ...OPERATOR, target: 'whk_1', detail: { org: 'org_1' } }],
  ['An operator had the messages of a webhook sent again', { action: 'webhook.retried', ...OPERATOR, target: 'whk_1', detail: { org: 'org_1' } }],
  ['An operator removed a webhook', { action: 'webhook.removed', ...OPERATOR, target: 'whk_1', detail: { org: 'org_1' } }],
  ['Ada signed in', { action: 'session.created' }],
  ['Ada signed out', { action: 'session.ended' }],
  ['Symbolon ended a session', { action: 'session.ended', ...SYSTEM }],
  ['An operator made Bruno an operator', { action: 'operator.granted', ...OPERATOR, target: 'usr_bruno' }],
  ['An operator revoked the operator grant of Bruno', { action: 'operator.revoked', ...OPERATOR, target: 'usr_bruno' }],
  ['An operator blocked an account or a network', { action: 'block.added', ...OPERATOR, target: 'blk_1', detail: { until_ms: null } }],
  [`An operator set a block anew until ${date(UNTIL)}`, { action: 'block.added', ...OPERATOR, target: 'blk_1', detail: { until_ms: UNTIL, before: { until_ms: null } } }],
  ['An operator lifted a block', { action: 'block.removed', ...OPERATOR, target: 'blk_1' }],
  ['Ada was refused: that takes the permission “View Servers” (11 times)', { action: 'access.denied', detail: { permission: 'servers.view', route: 'GET /x', count: 11 } }],
  ['Ada was refused: only the Owner can do that', { action: 'access.denied', detail: { role: 'owner', route: 'DELETE /x', count: 1 } }],
  ['Ada was refused: that takes a higher role (2 times)', { action: 'access.denied', detail: { role: 'higher', route: 'DELETE /x', count: 2 } }],
  ['Ada was refused: only an operator can do that', { action: 'access.denied', detail: { role: 'operator', route: 'GET /x', count: 1 } }],
  ['An operator turned maintenance on', { action: 'maintenance.switched', ...OPERATOR, detail: { on: true } }],
  ['An operator made registration invite-only', { action: 'registration.changed', ...OPERATOR, detail: { mode: 'invite_only' } }],
  ['An operator created a registration code', { action: 'registration.code_made', ...OPERATOR }],
  ['Ada revoked a registration code', { action: 'registration.code_revoked', target: 'reg_1' }],
  ['Ada signed everyone out but themselves', { action: 'sessions.ended' }],
  ['Ada ended the sessions that nobody had used for 7 days', { action: 'sessions.idle_dropped', detail: { days: 7 } }],
  ['Ada made an announcement', { action: 'announcement.created', target: 'ann_1', detail: { severity: 'info', target: 'all' } }],
  ['Ada changed an announcement', { action: 'announcement.changed', target: 'ann_1', detail: { severity: 'info', target: 'all' } }],
  ['Ada deleted an announcement', { action: 'announcement.deleted', target: 'ann_1', detail: { severity: 'info', target: 'all' } }],
  ['Ada turned Imports off', { action: 'flag.set', detail: { flag: 'imports', on: false } }],
  ['Ada published a build of the plugin (v1.2.3)', { action: 'plugin.published', detail: { version: 'v1.2.3' } }],
  ['Ada withdrew a build of the plugin (v1.2.3)', { action: 'plugin.withdrawn', detail: { version: 'v1.2.3' } }],
  ['Ada offered a build of the plugin again (v1.2.3)', { action: 'plugin.restored', detail: { version: 'v1.2.3' } }],
  ['Ada of the operators began a visit (Ticket 4711)', { action: 'visit.began', target: 'org_1', detail: { reason: 'Ticket 4711', write: false } }],
  ['Ada of the operators began a visit in Rust Haven with the right to change things (Ticket 4711)', { action: 'visit.began', target: 'org_haven', detail: { reason: 'Ticket 4711', write: true } }],
  ['Ada of the operators ended their visit', { action: 'visit.ended', target: 'org_1' }],
  ['Ada of the operators ended the visit of Bruno in Rust Haven', { action: 'visit.ended', target: 'org_haven', detail: { account: 'usr_bruno' } }],
  ['Ada gave Rust Haven to Bruno (Lost account)', { action: 'org.recovered', target: 'org_haven', detail: { to: 'usr_bruno', reason: 'Lost account' } }],
  ['Ada released the Guild Ashfall Classic in Rust Haven (Wrong claim)', { action: 'guild.released', target: 'gld_old', detail: { org: 'org_haven', reason: 'Wrong claim' } }],
  ['Ada deactivated the Server EU Main, visiting as an operator', { action: 'server.deactivated', target: 'srv_main', detail: { visit: true } }],
  ['Ada deactivated the Server EU Main, visiting in Rust Haven as an operator', { action: 'server.deactivated', target: 'srv_main', detail: { visit: true, org: 'org_haven' } }],
  ['An operator rotated the master key', { action: 'ring.rotated', ...OPERATOR, target: 'k2' }],
];

describe('every kind of entry is a sentence', () => {
  test.each(SENTENCES)('%s', (expected, some) => {
    expect(told(some)).toBe(expected);
  });

  test('no kind of the server is without one, here and in these tests', () => {
    expect(ACTIONS.length).toBeGreaterThan(40);
    expect(Object.keys(KINDS).sort()).toEqual([...ACTIONS].sort());
    expect([...new Set(SENTENCES.map(([, { action }]) => action))].sort()).toEqual([...ACTIONS].sort());
    for (const action of ACTIONS) expect(kindLabel(action), action).toMatch(/^(Custom Bot |[A-Z])[a-z -]+$/);
  });

  test('also an entry about which nothing is known any more', () => {
    for (const action of ACTIONS) {
      for (const actor of [ADA, PLUGIN, PLAYER, OPERATOR, SYSTEM]) {
        const text = told({ action, ...actor, target: 'srv_gone' }, nameBook([], 'o1', may));
        expect(text, action).toMatch(/^[A-Z]/);
        expect(text, action).not.toMatch(/undefined|null|NaN| {2}|\(\)/);
      }
    }
  });

  test('a kind that this page does not know yet keeps its name', () => {
    expect(told({ action: 'bot.started' })).toBe('Ada: bot.started');
    expect(told({ action: 'toString' })).toBe('Ada: toString');
    expect(kindChoices(['bot.started', 'key.revealed', 'session.created', 'person.erased', 'account.deleted'])).toEqual([
      { value: 'bot.started', label: 'bot.started' },
      { value: 'key.revealed', label: 'Key revealed' },
      { value: 'person.erased', label: 'Player erased' },
    ]);
  });
});

describe('the way to the thing', () => {
  const pages = (some: Some, allowed: string[]) =>
    tell(entry(some), nameBook(NAMES, 'o1', (permission) => allowed.includes(permission))).flatMap((part) => (typeof part === 'object' && part.page ? [part.page] : []));

  test('leads there for whoever may open it', () => {
    const regenerated: Some = { action: 'key.regenerated', target: 'key_main' };
    expect(pages(regenerated, ['servers.view'])).toEqual(['/app/orgs/o1/servers/srv_main']);
    expect(pages(regenerated, [])).toEqual([]);
    expect(pages({ action: 'guild.changed', target: 'gld_eu' }, ['org.settings'])).toEqual(['/app/orgs/o1/guilds/gld_eu']);
    expect(pages({ action: 'key.revoked', target: 'key_web' }, ['servers.keys'])).toEqual(['/app/orgs/o1/keys']);
    expect(pages({ action: 'member.removed', target: 'usr_bruno' }, ['org.team'])).toEqual(['/app/orgs/o1/team']);
    expect(pages({ action: 'link.removed', ...PLUGIN, target: 'lnk_river' }, ['servers.view'])).toEqual(['/app/orgs/o1/servers/srv_main']);
  });

  test('is not offered to what is gone', () => {
    expect(pages({ action: 'server.changed', target: 'srv_old' }, ['servers.view'])).toEqual([]);
    expect(pages({ action: 'guild.changed', target: 'gld_old' }, ['org.settings'])).toEqual([]);
  });
});

describe('settings before and after', () => {
  const changes = (action: string, detail: Record<string, unknown>) => changesOf({ action, detail }).map(({ label, from, to }) => (from === undefined ? `${label}: ${to}` : `${label}: ${from} → ${to}`));

  test('read as in their forms', () => {
    expect(
      changes('guild.changed', {
        name: { from: 'EU', to: 'EU Main' },
        join_mode: { from: 'off', to: 'auto' },
        log_channel_id: { from: null, to: '123' },
        relink_cooldown_ms: { from: 0, to: 7_200_000 },
        verified_roles: { from: ['1', '2'], to: ['2', '3', '4'] },
        booster_roles: { from: ['1'], to: [] },
      }),
    ).toEqual([
      'Name: EU → EU Main',
      'Discord server membership: Not required → Add automatically',
      'Log channel: None → 123',
      'Relink cooldown: None → 2 hours',
      'Verified roles added: 3, 4',
      'Verified roles removed: 1',
      'Booster roles removed: 1',
    ]);
    expect(changes('server.changed', { bare_ids: { from: false, to: true }, poll_seconds: { from: 60, to: 90 } })).toEqual(['Return IDs without quotes: Off → On', 'Poll interval in seconds: 60 → 90']);
    expect(changes('member.changed', { role: { from: 'staff', to: 'admin' }, granted: ['links.view', 'audit.view'], taken: [] })).toEqual(['Role: Staff → Admin', 'Permissions granted: View links, View the audit log']);
  });

  test('of older entries only what was set is known', () => {
    expect(changes('server.changed', { bare_ids: true, name: 'EU' })).toEqual(['Return IDs without quotes: On', 'Name: EU']);
    expect(changes('key.edited', { actions: 'count,remove' })).toEqual(['Actions: count, remove']);
    expect(changes('guild.changed', { slug: { from: 'eu', to: 'eu' }, verified_roles: [] })).toEqual(['Verified roles: None']);
  });

  test('other details are not taken for settings', () => {
    expect(changes('org.cleanup_changed', { before: { enabled: false, days: 90, grace_days: 7 }, after: { enabled: true, days: 30, grace_days: 7 } })).toEqual(['Cleanup: Off → On', 'Days until dormant: 90 → 30']);
    expect(changes('org.cleanup_changed', {})).toEqual([]);
    expect(changes('link.removed', { cause: 'plugin', guild: 'gld_eu' })).toEqual([]);
    expect(changes('org.tier_changed', { from: 'free', to: 'pro' })).toEqual([]);
  });
});

test('what can be chosen is called by name, with what it is', () => {
  expect(NAMES.map(choiceOf).map(({ label, hint }) => [label, hint].filter(Boolean).join(' · '))).toEqual([
    'Bruno · Member',
    'Rust Haven · Organisation',
    'Ashfall EU · Guild',
    'Ashfall Classic · Removed Guild',
    'EU Main · Server',
    'EU Old · Deleted Server',
    'Plugin of EU Main',
    'Bot of EU Main',
    'Website · Key',
    'Old panel · Removed key',
    'rivercrow59 · Link',
    'an erased player · Link',
    'An invite',
  ]);
});

describe('settings before and after', () => {
  test('what differs reads differently, in the words of its form', () => {
    const detail = { accent: { from: 'indigo', to: 'red' }, relink_cooldown_ms: { from: 86_400_000, to: 129_600_000 } };
    expect(changesOf(entry({ action: 'guild.changed', target: 'gld_eu', detail }))).toEqual([
      { label: 'Colour', from: 'Indigo', to: 'Red' },
      { label: 'Relink cooldown', from: '1 day', to: '1 day 12 hours' },
    ]);
  });
});

test('who left the team is no member, and their name stays a plain name', () => {
  const left: AuditName = { id: 'usr_left', kind: 'account', name: 'Cleo', gone: true };
  expect(choiceOf(left)).toEqual({ value: 'usr_left', label: 'Cleo', hint: 'Not in the team' });
  expect(choiceOf({ ...left, gone: false }).hint).toBe('Member');
  expect(told({ action: 'member.removed', target: 'usr_left' }, nameBook([left], 'o1', may))).toBe('Ada removed Cleo from the team');
});
