// One entry of the audit log on its way to a sentence: who, what and how much.

import type { AuditEntry, AuditName } from '$lib/api/schema';
import { permissionLabel } from '$lib/can';
import { count, date, list, sentence } from '$lib/format';
import { stateOf } from '../../billing/states';
import { nameless, type NameBook, type Part } from './names';

export type Entry = Pick<AuditEntry, 'action' | 'actor_kind' | 'actor_id' | 'actor_name' | 'target' | 'detail'>;

export class Telling {
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

  /** " in Rust Haven", where the log is not that organisation's own. */
  inOrg(): Part[] {
    const id = this.target?.startsWith('org_') ? this.target : this.text('org');
    const org = this.names.find(id);
    return org?.kind === 'org' && org.name ? [' in ', ...this.name(id)] : [];
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

  /** "Pro, yearly", "a Custom Bot for the Guild EU Main". */
  offer(): Part[] {
    const [what = '', interval = ''] = this.text('offer').split('_');
    if (what === 'bot') return ['a Custom Bot for ', ...this.the('Guild')];
    return [`${sentence(what) || 'something'}${interval === 'year' ? ', yearly' : interval === 'month' ? ', monthly' : ''}`];
  }

  /** Before the Guild whose bot it is. */
  savedToken(): string {
    switch (this.text('identity')) {
      case 'same':
        return 'replaced the token of the Custom Bot of';
      case 'other':
        return 'replaced the Custom Bot with another bot in';
      default:
        return 'saved the token of a Custom Bot for';
    }
  }

  /** "to Standard is active", "for a Custom Bot is active and ends on Jan 12, 2027". */
  subscription(): string {
    const plan = this.text('tier');
    const to = list([plan ? `to ${sentence(plan)}` : '', this.entry.detail.bot === true ? 'for a Custom Bot' : ''].filter(Boolean));
    const { told, over } = stateOf(this.text('status'));
    return `${to && `${to} `}${told}${over ? '' : this.day(' and ends on ', 'ends_at_ms')}`;
  }

  /** A day after these words; nothing where there is none. */
  day(before: string, field: string): string {
    const at = this.number(field);
    return at > 0 ? before + date(at) : '';
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
