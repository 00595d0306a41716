// What the ids in the operators' audit log are called, with the way to their pages in the operator area.

import type { AuditEntry, AuditName } from '$lib/api/schema';
import { href } from '$lib/router.svelte';
import type { NameBook } from '../../records/audit/names';

type Actor = Pick<AuditEntry, 'actor_kind' | 'actor_id' | 'actor_name'>;

/** Those who did something are named in the entries, and what else has a name beside them. The rest stay ids. */
export function operatorNames(entries: readonly Actor[], names: readonly AuditName[]): NameBook {
  const acting = new Map(entries.flatMap((entry) => (entry.actor_kind === 'account' && entry.actor_id && entry.actor_name ? [[entry.actor_id, entry.actor_name]] : [])));
  const known = new Map(names.map((name) => [name.id, name]));
  return {
    find: (id) => (id ? (known.get(id) ?? { id, kind: 'account', name: acting.get(id) ?? id, gone: false }) : undefined),
    page: pageOf,
  };
}

function pageOf({ id }: Pick<AuditName, 'id'>): string | undefined {
  if (id.startsWith('usr_')) return href('/admin/accounts/:id', { id });
  if (id.startsWith('org_')) return href('/admin/orgs/:id', { id });
  if (id.startsWith('gld_')) return href('/admin/orgs', {}, { q: id });
  return id.startsWith('blk_') ? href('/admin/blocklist', {}, { q: id }) : undefined;
}

const OF_OPERATORS = /^(access|account|announcement|block|bot_secret|flag|job|maintenance|operator|plugin|registration|ring|sessions?|visit|webhook)\.|^(org\.recovered|guild\.released|person\.looked_up)$/;

/** The server names every kind there is, also those that only logs of organisations hold. */
export function isOfOperators(action: string): boolean {
  return OF_OPERATORS.test(action);
}
