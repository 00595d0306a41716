// Entries of the audit log as sentences. Every kind of entry has its line here, and nowhere else.

import type { AuditAction, AuditEntry, AuditName } from '$lib/api/schema';
import { permissionLabel } from '$lib/can';
import { count, list, number, sentence } from '$lib/format';
import { nameless, say, type NameBook, type Part } from './names';

type Entry = Pick<AuditEntry, 'action' | 'actor_kind' | 'actor_id' | 'actor_name' | 'target' | 'detail'>;

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
  'account.deleted': kind('Account deleted', (it) => (it.entry.actor_kind === 'operator_cli' ? say`${it.who} deleted an account` : say`Someone deleted their account`)),
  'user.viewed': kind('Player viewed', (it) => say`${it.who} viewed ${it.player()}’s page`),
  'analytics.exported': kind('Analytics exported', (it) => say`${it.who} exported analytics`),
  'users.exported': kind('Users exported', (it) => say`${it.who} exported the list of users`),
  'users.unlink_started': kind('Bulk unlink started', (it) => say`${it.who} started to end ${count(it.number('links'), 'link')}${it.inGuild()}`),
  'users.unlink_cancelled': kind('Bulk unlink cancelled', (it) => say`${it.who} cancelled a bulk unlink when ${number(it.number('ended'))} of ${count(it.number('links'), 'link')} had ended`),
  'users.cleanup_ran': kind('Dormant accounts cleaned up', (it) => say`${it.who} looked for dormant accounts${it.cleaned()}`),
  'users.kept': kind('Dormant accounts kept', (it) => say`${it.who} kept ${count(it.number('links'), 'link')} flagged as dormant`),
  'links.imported': kind('Links imported', (it) => say`${it.who} imported ${count(it.number('active'), 'active link')} and ${count(it.number('ended'), 'ended link')} into ${it.the('Guild')}`),
  'import.started': kind('Import started', (it) => say`${it.who} started to import ${it.imported()} into ${it.the('Guild')}`),
  'import.finished': kind('Import ended', (it) => say`The import that ${it.who} started has ended: ${it.imported()} added to ${it.the('Guild')}, ${count(it.number('refused'), 'row')} refused`),
  'import.cancelled': kind('Import cancelled', (it) => say`${it.who} cancelled an import into ${it.the('Guild')} after ${it.imported()}`),
  'job.dropped': kind('Pending work dropped', (it) => say`${it.who} dropped pending work${it.inBrackets('kind')}`),
  'job.retried': kind('Pending work retried', (it) => say`${it.who} retried pending work${it.inBrackets('kind')}`),
  'session.created': kind('Signed in', (it) => say`${it.who} signed in`),
  'session.ended': kind('Signed out', (it) => (it.entry.actor_kind === 'account' ? say`${it.who} signed out` : say`${it.who} ended a session`)),
  'operator.granted': kind('Operator granted', (it) => say`${it.who} made ${it.name(it.target)} an operator`),
  'operator.revoked': kind('Operator revoked', (it) => say`${it.who} revoked the operator grant of ${it.name(it.target)}`),
  'block.added': kind('Block added', (it) => say`${it.who} blocked an account or a network`),
  'block.removed': kind('Block lifted', (it) => say`${it.who} lifted a block`),
  'access.denied': kind('Refused', (it) => say`${it.who} was refused: ${it.lacking()}${it.times()}`),
  'maintenance.switched': kind('Maintenance switched', (it) => say`${it.who} turned maintenance ${it.entry.detail.on === true ? 'on' : 'off'}`),
  'registration.changed': kind('Registration changed', (it) => (it.text('mode') === 'invite_only' ? say`${it.who} made registration invite-only` : say`${it.who} opened registration to everyone`)),
  'registration.code_made': kind('Registration code created', (it) => say`${it.who} created a registration code`),
  'ring.rotated': kind('Master key rotated', (it) => say`${it.who} rotated the master key`),
  'bot_secret.shown': kind('Bot secret shown', (it) => say`${it.who} looked at the secret of a bot`),
  'bot_secret.rotated': kind('Bot secret rotated', (it) => say`${it.who} rotated the secret of a bot`),
};

/** Kinds that only the operators' own log holds. */
const OF_OPERATORS = /^(account|session|operator|block|maintenance|registration|ring|bot_secret)\./;

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
  return find(entry.action)?.tell(it) ?? say`${it.who}: ${entry.action}`;
}

export function plain(parts: ReadonlyArray<Part>): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

function find(action: string): Kind | undefined {
  return Object.hasOwn(KINDS, action) ? KINDS[action as AuditAction] : undefined;
}

/** One entry on its way to a sentence. */
class Telling {
  constructor(
    readonly entry: Entry,
    private readonly names: NameBook,
  ) {}

  get target(): string | null | undefined {
    return this.entry.target;
  }

  get byPlayer(): boolean {
    return this.entry.actor_kind === 'player';
  }

  /** The beginning of the sentence. */
  get who(): Part[] {
    const { actor_kind, actor_id, actor_name } = this.entry;
    switch (actor_kind) {
      case 'account':
        return [actor_name ? { name: actor_name } : sentence(nameless(actor_id))];
      case 'key':
        return this.program(this.names.find(actor_id));
      case 'player':
        return ['A player'];
      case 'operator_cli':
        return ['An operator'];
      case 'system':
        return ['Symbolon'];
      default:
        return [actor_kind];
    }
  }

  private program(key: AuditName | undefined): Part[] {
    switch (key?.kind) {
      case 'plugin_key':
        return ['Plugin of ', this.part(key)];
      case 'bot_key':
        return ['Bot of ', this.part(key)];
      case 'custom_key':
        return ['Key ', this.part(key)];
      default:
        return ['A deleted key'];
    }
  }

  private part(name: AuditName): Part {
    const page = this.names.page(name);
    return { name: name.name ?? nameless(name.id), ...(page && { page }) };
  }

  /** "3 links and 2 ended links". */
  imported(): string {
    return `${count(this.number('active'), 'link')} and ${count(this.number('ended'), 'ended link')}`;
  }

  /** Its name, and that it is gone, unless the sentence says so. */
  name(id: string | null | undefined, gone = false): Part[] {
    const found = this.names.find(id);
    if (!found?.name) return [nameless(id)];
    const tells = found.gone && !gone && found.kind !== 'account'; // people come and go
    return [this.part(found), tells ? (found.kind === 'server' ? ' (deleted)' : ' (removed)') : ''];
  }

  /** "the Server EU Main", or "a deleted Server". */
  the(noun: 'Guild' | 'Server', gone = false): Part[] {
    const named = this.names.find(this.target)?.name;
    return named ? [`the ${noun} `, ...this.name(this.target, gone)] : [nameless(this.target)];
  }

  /** " in the Guild EU Main", where the detail names one. */
  inGuild(): Part[] {
    const guild = this.text('guild');
    return guild ? [this.names.find(guild)?.name ? ' in the Guild ' : ' in ', ...this.name(guild)] : [];
  }

  /** "the key of EU Main", "the key Website". */
  key(gone = false): Part[] {
    const key = this.names.find(this.target);
    if (key?.kind === 'custom_key' && key.name) return ['the key ', ...this.name(this.target, gone)];
    const bot = key?.kind === 'bot_key' || this.entry.detail.kind === 'bot';
    const of = bot ? 'the bot key of ' : 'the key of ';
    if (key?.name) return [of, this.part(key)];
    const server = this.entry.detail.server;
    return typeof server === 'string' ? [of, ...this.name(server)] : [nameless('key_')];
  }

  /** A key that was replaced or removed. */
  oldKey(): Part[] {
    const key = this.names.find(this.target);
    if (!key?.name) return ['a key that was replaced'];
    return key.kind === 'custom_key' ? ['the removed key ', this.part(key)] : ['an old key of ', this.part(key)];
  }

  player(first = false): Part[] {
    const link = this.names.find(this.target);
    if (link?.name) return [this.part(link)];
    const words = link ? 'an erased player' : nameless('lnk_');
    return [first ? sentence(words) : words];
  }

  invite(): Part[] {
    const role = this.names.find(this.target)?.name ?? this.text('role');
    return [role === 'admin' ? 'an Admin invite' : role === 'staff' ? 'a Staff invite' : 'an invite'];
  }

  inBrackets(field: string): string {
    const text = this.text(field);
    return text && ` (${text})`;
  }

  cause(): string {
    return this.text('cause') === 'zombie-cleanup' ? ' (dormant)' : this.inBrackets('cause');
  }

  /** What a run came to. */
  cleaned(): string {
    const [flagged, cleared, ended] = ['flagged', 'cleared', 'ended'].map((field) => this.number(field)) as [number, number, number];
    const did = list([flagged && `flagged ${count(flagged, 'link')}`, cleared && `took ${count(cleared, 'flag')} off`, ended && `ended ${count(ended, 'link')}`].filter((part) => part !== 0));
    return did && `: ${did}`;
  }

  /** Where an entry holds everything before and after: whether this was switched, and to what. */
  switched(field: string): 'on' | 'off' | null {
    const { before, after } = this.entry.detail as Record<string, Record<string, unknown> | undefined>;
    const to = after?.[field];
    return typeof to !== 'boolean' || to === before?.[field] ? null : to ? 'on' : 'off';
  }

  /** What somebody was refused: what takes a role, or a permission. */
  lacking(): string {
    switch (this.text('role')) {
      case 'owner':
        return 'only the Owner can do that';
      case 'higher':
        return 'that takes a higher role';
      case 'operator':
        return 'only an operator can do that';
      default:
        return `that takes the permission “${permissionLabel(this.text('permission'))}”`;
    }
  }

  times(): string {
    const times = this.number('count');
    return times > 1 ? ` (${count(times, 'time')})` : '';
  }

  /** What went with a Guild or an organisation. */
  withLinks(): string {
    const parts = [this.number('servers') ? count(this.number('servers'), 'Server') : '', this.number('links_ended') ? count(this.number('links_ended'), 'link') : ''];
    const went = list(parts.filter(Boolean));
    return went && ` with ${went}`;
  }

  endingLinks(): string {
    const ended = this.number('links_ended');
    return ended > 0 ? `, ending ${count(ended, 'link')}` : '';
  }

  text(field: string): string {
    const value = this.entry.detail[field];
    return typeof value === 'string' ? value : '';
  }

  /** A role or a plan, with its capital. */
  word(field: string): string {
    return sentence(this.text(field)) || 'unknown';
  }

  number(field: string): number {
    const value = this.entry.detail[field];
    return typeof value === 'number' ? value : 0;
  }

  /** What a field was changed to; nothing when it stayed. */
  changed(field: string): string | null {
    const value = this.entry.detail[field] as { from?: unknown; to?: unknown } | undefined;
    return typeof value?.to === 'string' && value.to !== value.from ? value.to : null;
  }
}
