// Entries of the audit log as sentences. Every kind of entry has its line here, and nowhere else.

import type { AuditAction } from '$lib/api/schema';
import { count, number, sentence } from '$lib/format';
import { say, type NameBook, type Part } from './names';
import { Telling, type Entry } from './telling';

interface Kind {
  /** For choosing this kind of entry. */
  label: string;
  tell: (it: Telling) => Part[];
}

const kind = (label: string, tell: Kind['tell']): Kind => ({ label, tell });

export const KINDS: Record<AuditAction, Kind> = {
  'org.created': kind('Organisation created', (it) => say`${it.who} created the organisation`),
  'org.changed': kind('Organisation changed', (it) => say`${it.who} changed the organisation’s settings`),
  'org.removed': kind('Organisation deleted', (it) => say`${it.who} deleted the organisation${it.withLinks()}`),
  'org.owner_changed': kind('Ownership transferred', (it) => say`${it.who} transferred the organisation to ${it.name(it.target)}`),
  'org.navigation_changed': kind('Link-page buttons changed', (it) => say`${it.who} changed the link page buttons (from ${it.number('from')} to ${it.number('to')})`),
  'org.trust_changed': kind('Trust settings changed', (it) => say`${it.who} changed the trust settings`),
  'org.cleanup_changed': kind('Cleanup of dormant accounts changed', (it) => {
    const to = it.switched('enabled');
    return to ? say`${it.who} turned the cleanup of dormant accounts ${to}` : say`${it.who} changed the cleanup of dormant accounts`;
  }),
  'org.tier_changed': kind('Plan changed', (it) => say`${it.who} changed the plan from ${it.word('from')} to ${it.word('to')}`),
  'org.tier_granted': kind('Plan given by the operator', (it) => (it.text('tier') ? say`${it.who} gave the organisation the plan ${it.word('tier')}${it.day(' until ', 'until_ms')}` : say`${it.who} took back the plan they had given`)),
  'org.tier_grant_ended': kind('Given plan ended', (it) => say`The plan ${it.word('tier')} that an operator gave has ended`),
  'billing.checkout_opened': kind('Checkout opened', (it) => say`${it.who} opened checkout for ${it.offer()}`),
  'billing.portal_opened': kind('Billing portal opened', (it) => say`${it.who} opened the billing portal`),
  'billing.subscription_changed': kind('Subscription changed', (it) => say`The subscription ${it.subscription()}`),
  'billing.subscription_forgotten': kind('Subscription forgotten', (it) => say`${it.who} had a subscription forgotten that Stripe no longer knows${it.text('subscription') && ` (${it.text('subscription')}): ${it.text('reason')}`}`),
  'member.added': kind('Member added', (it) => (it.target ? say`${it.who} added ${it.name(it.target)} as ${it.word('role')}` : say`${it.who} joined as ${it.word('role')}`)),
  'member.changed': kind('Member changed', (it) => {
    const role = it.changed('role');
    return role ? say`${it.who} gave ${it.name(it.target)} the role ${sentence(role)}` : say`${it.who} changed the permissions of ${it.name(it.target)}`;
  }),
  'member.removed': kind('Member removed', (it) => say`${it.who} removed ${it.name(it.target)} from the team`),
  'member.left': kind('Member left', (it) => (it.entry.actor_kind === 'account' ? say`${it.who} left the team` : say`A deleted account left the team`)),
  'invite.created': kind('Invite created', (it) => say`${it.who} created ${it.invite()}`),
  'invite.reissued': kind('Invite re-issued', (it) => say`${it.who} re-issued ${it.invite()}`),
  'invite.revoked': kind('Invite revoked', (it) => say`${it.who} revoked ${it.invite()}`),
  'audit.exported': kind('Audit log exported', (it) => say`${it.who} exported the audit log`),
  'guild.created': kind('Guild added', (it) => say`${it.who} added ${it.the('Guild')}`),
  'guild.changed': kind('Guild changed', (it) => say`${it.who} changed the settings of ${it.the('Guild')}`),
  'guild.removed': kind('Guild removed', (it) => say`${it.who} removed ${it.the('Guild', true)}${it.withLinks()}`),
  'guild.recheck_started': kind('Re-check started', (it) => say`${it.who} had everyone re-checked in ${it.the('Guild')}`),
  'guild.recheck_cancelled': kind('Re-check cancelled', (it) => say`${it.who} cancelled the re-check of everyone in ${it.the('Guild')}`),
  'bot.token_saved': kind('Custom Bot token saved', (it) => say`${it.who} ${it.savedToken()} ${it.the('Guild')}`),
  'bot.retried': kind('Custom Bot retried', (it) => say`${it.who} had the Custom Bot of ${it.the('Guild')} tried again`),
  'bot.removed': kind('Custom Bot removed', (it) => say`${it.who} removed the Custom Bot of ${it.the('Guild')}`),
  'server.created': kind('Server added', (it) => say`${it.who} added ${it.the('Server')}`),
  'server.activated': kind('Server activated', (it) => say`${it.who} activated ${it.the('Server')}`),
  'server.deactivated': kind('Server deactivated', (it) => say`${it.who} deactivated ${it.the('Server')}`),
  'server.changed': kind('Server changed', (it) => say`${it.who} changed the settings of ${it.the('Server')}`),
  'server.roles_changed': kind('Role rules changed', (it) => say`${it.who} changed the rules for roles and groups of ${it.the('Server')}`),
  'server.deleted': kind('Server deleted', (it) => say`${it.who} deleted ${it.the('Server', true)}`),
  'key.created': kind('Key created', (it) => say`${it.who} created ${it.key()}`),
  'key.edited': kind('Key changed', (it) => say`${it.who} changed ${it.key()}`),
  'key.revealed': kind('Key revealed', (it) => say`${it.who} revealed ${it.key()}`),
  'key.regenerated': kind('Key regenerated', (it) => say`${it.who} regenerated ${it.key()}`),
  'key.revoked': kind('Key revoked', (it) => say`${it.who} revoked ${it.key()}`),
  'key.removed': kind('Key removed', (it) => say`${it.who} removed ${it.key(true)}`),
  'key.retired_used': kind('Old key tried', (it) => say`Someone tried ${it.oldKey()}`),
  'link.created': kind('Linked', (it) => (it.byPlayer ? say`${it.player(true)} linked` : say`${it.who} linked ${it.player()}`)),
  'link.relinked': kind('Relinked', (it) => say`A new link replaced the link of ${it.player()}`),
  'link.removed': kind('Unlinked', (it) => (it.byPlayer ? say`${it.player(true)} unlinked` : say`${it.who} unlinked ${it.player()}${it.cause()}`)),
  'person.erased': kind('Player erased', (it) => (it.byPlayer ? say`A player erased their data${it.endingLinks()}` : say`${it.who} erased a player’s data${it.endingLinks()}`)),
  'person.looked_up': kind('Person looked up', (it) => say`${it.who} looked a person up in all organisations`),
  'account.deleted': kind('Account deleted', (it) => (it.entry.actor_kind === 'operator_cli' ? say`${it.who} deleted an account` : say`Someone deleted their account`)),
  'user.viewed': kind('Player viewed', (it) => say`${it.who} viewed ${it.player()}’s page`),
  'analytics.exported': kind('Analytics exported', (it) => say`${it.who} exported analytics`),
  'users.exported': kind('Users exported', (it) => say`${it.who} exported the list of users`),
  'users.unlink_started': kind('Bulk unlink started', (it) => say`${it.who} started to end ${count(it.number('links'), 'link')}${it.inGuild()}`),
  'users.unlink_finished': kind('Bulk unlink finished', (it) => say`A bulk unlink by ${it.who} ended ${number(it.number('ended'))} of ${count(it.number('links'), 'link')}`),
  'users.unlink_cancelled': kind('Bulk unlink cancelled', (it) => say`${it.who} cancelled a bulk unlink when ${number(it.number('ended'))} of ${count(it.number('links'), 'link')} had ended`),
  'users.cleanup_ran': kind('Dormant accounts cleaned up', (it) => say`${it.who} looked for dormant accounts${it.cleaned()}`),
  'users.kept': kind('Dormant accounts kept', (it) => say`${it.who} kept ${count(it.number('links'), 'link')} flagged as dormant`),
  'links.imported': kind('Links imported', (it) => say`${it.who} imported ${count(it.number('active'), 'active link')} and ${count(it.number('ended'), 'ended link')} into ${it.the('Guild')}`),
  'import.started': kind('Import started', (it) => say`${it.who} started to import ${it.imported()} into ${it.the('Guild')}`),
  'import.finished': kind('Import ended', (it) => say`The import that ${it.who} started has ended: ${it.imported()} added to ${it.the('Guild')}, ${count(it.number('refused'), 'row')} refused`),
  'import.cancelled': kind('Import cancelled', (it) => say`${it.who} cancelled an import into ${it.the('Guild')} after ${it.imported()}`),
  'job.dropped': kind('Pending work dropped', (it) => say`${it.who} dropped pending work${it.inBrackets('kind')}${it.inOrg()}`),
  'job.retried': kind('Pending work retried', (it) => say`${it.who} retried pending work${it.inBrackets('kind')}${it.inOrg()}`),
  'session.created': kind('Signed in', (it) => say`${it.who} signed in`),
  'session.ended': kind('Signed out', (it) => (it.entry.actor_kind === 'account' ? say`${it.who} signed out` : say`${it.who} ended a session`)),
  'sessions.ended': kind('Everyone signed out', (it) => say`${it.who} signed everyone out but themselves`),
  'sessions.idle_dropped': kind('Idle sessions ended', (it) => say`${it.who} ended the sessions that nobody had used for ${count(it.number('days'), 'day')}`),
  'operator.granted': kind('Operator granted', (it) => say`${it.who} made ${it.name(it.target)} an operator`),
  'operator.revoked': kind('Operator revoked', (it) => say`${it.who} revoked the operator grant of ${it.name(it.target)}`),
  'block.added': kind('Block added', (it) => (it.entry.detail.before ? say`${it.who} set a block anew${it.day(' until ', 'until_ms')}` : say`${it.who} blocked an account or a network${it.day(' until ', 'until_ms')}`)),
  'block.removed': kind('Block lifted', (it) => say`${it.who} lifted a block`),
  'access.denied': kind('Refused', (it) => say`${it.who} was refused: ${it.lacking()}${it.times()}`),
  'maintenance.switched': kind('Maintenance switched', (it) => say`${it.who} turned maintenance ${it.entry.detail.on === true ? 'on' : 'off'}`),
  'registration.changed': kind('Registration changed', (it) => (it.text('mode') === 'invite_only' ? say`${it.who} made registration invite-only` : say`${it.who} opened registration to everyone`)),
  'registration.code_made': kind('Registration code created', (it) => say`${it.who} created a registration code`),
  'registration.code_revoked': kind('Registration code revoked', (it) => say`${it.who} revoked a registration code`),
  'announcement.created': kind('Announcement made', (it) => say`${it.who} made an announcement`),
  'announcement.changed': kind('Announcement changed', (it) => say`${it.who} changed an announcement`),
  'announcement.deleted': kind('Announcement deleted', (it) => say`${it.who} deleted an announcement`),
  'flag.set': kind('Flag switched', (it) => say`${it.who} turned ${it.word('flag')} ${it.entry.detail.on === true ? 'on' : 'off'}`),
  'plugin.published': kind('Plugin build published', (it) => say`${it.who} published a build of the plugin${it.inBrackets('version')}`),
  'plugin.withdrawn': kind('Plugin build withdrawn', (it) => say`${it.who} withdrew a build of the plugin${it.inBrackets('version')}`),
  'plugin.restored': kind('Plugin build offered again', (it) => say`${it.who} offered a build of the plugin again${it.inBrackets('version')}`),
  'visit.began': kind('Operator visit began', (it) => say`${it.who} of the operators began a visit${it.inOrg()}${it.entry.detail.write === true ? ' with the right to change things' : ''}${it.inBrackets('reason')}`),
  'visit.ended': kind('Operator visit ended', (it) => {
    const whose = it.text('account');
    return whose ? say`${it.who} of the operators ended the visit of ${it.name(whose)}${it.inOrg()}` : say`${it.who} of the operators ended their visit${it.inOrg()}`;
  }),
  'org.recovered': kind('Organisation recovered', (it) => say`${it.who} gave ${it.name(it.target)} to ${it.name(it.text('to'))}${it.inBrackets('reason')}`),
  'guild.released': kind('Discord server released', (it) => say`${it.who} released ${it.the('Guild', true)}${it.inOrg()}${it.inBrackets('reason')}`),
  'ring.rotated': kind('Master key rotated', (it) => say`${it.who} rotated the master key`),
  'bot_secret.shown': kind('Bot secret shown', (it) => say`${it.who} looked at the secret of a bot`),
  'bot_secret.rotated': kind('Bot secret rotated', (it) => say`${it.who} rotated the secret of a bot`),
  'webhook.added': kind('Webhook added', (it) => say`${it.who} added a webhook`),
  'webhook.rotated': kind('Webhook secret rotated', (it) => say`${it.who} rotated the secret of a webhook`),
  'webhook.retried': kind('Webhook retried', (it) => say`${it.who} had the messages of a webhook sent again`),
  'webhook.removed': kind('Webhook removed', (it) => say`${it.who} removed a webhook`),
};

/** Kinds that only the operators' own log holds. */
const OF_OPERATORS = /^(account|session|sessions|operator|block|maintenance|registration|announcement|flag|plugin|ring|bot_secret|webhook)\.|^(org\.recovered|guild\.released|person\.looked_up)$/;

/** What the log of an Org can be filtered by. A newer server may know kinds that this page does not. */
export function kindChoices(actions: ReadonlyArray<string>): Array<{ value: string; label: string }> {
  return actions.filter((action) => !OF_OPERATORS.test(action)).map((value) => ({ value, label: kindLabel(value) }));
}

export function kindLabel(action: string): string {
  return find(action)?.label ?? action;
}

/** An entry as one sentence, without a full stop. */
export function tell(entry: Entry, names: NameBook): Part[] {
  const it = new Telling(entry, names);
  const told = find(entry.action)?.tell(it) ?? say`${it.who}: ${entry.action}`;
  return entry.detail.visit === true ? [...told, ...say`, visiting${it.inOrg()} as an operator`] : told;
}

export function plain(parts: ReadonlyArray<Part>): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

function find(action: string): Kind | undefined {
  return Object.hasOwn(KINDS, action) ? KINDS[action as keyof typeof KINDS] : undefined;
}
