// What the ids in the operators' audit log are called. It holds no names, so most stay ids, with the way to their page.

import type { AuditEntry, AuditName } from '$lib/api/schema';
import { href } from '$lib/router.svelte';
import type { NameBook } from '../../records/audit/names';

type Actor = Pick<AuditEntry, 'actor_kind' | 'actor_id' | 'actor_name'>;

/** Those who did something are named in the entries. */
export function operatorNames(entries: readonly Actor[]): NameBook {
  const known = new Map(entries.flatMap((entry) => (entry.actor_kind === 'account' && entry.actor_id && entry.actor_name ? [[entry.actor_id, entry.actor_name]] : [])));
  return {
    find: (id) => (id ? { id, kind: 'account', name: known.get(id) ?? id, gone: false } : undefined),
    page: pageOf,
  };
}

function pageOf({ id }: Pick<AuditName, 'id'>): string | undefined {
  if (id.startsWith('usr_')) return href('/admin/accounts/:id', { id });
  if (id.startsWith('org_')) return href('/admin/orgs/:id', { id });
  if (id.startsWith('gld_')) return href('/admin/orgs', {}, { q: id });
  return id.startsWith('blk_') ? href('/admin/blocklist', {}, { q: id }) : undefined;
}

const OF_OPERATORS = /^(access|account|announcement|block|bot_secret|flag|job|maintenance|operator|plugin|registration|ring|sessions?|visit)\.|^(org\.recovered|guild\.released)$/;

/** The server names every kind there is, also those that only logs of organisations hold. */
export function isOfOperators(action: string): boolean {
  return OF_OPERATORS.test(action);
}
