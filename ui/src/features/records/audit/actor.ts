import type { AuditEntry } from '$lib/api/schema';

const KINDS: Record<string, string> = {
  account: 'Member',
  key: 'Key',
  player: 'Player',
  operator_cli: 'Operator',
  system: 'Symbolon',
};

/** Who did it: a name where there is one, otherwise what kind of actor. */
export function actorName(entry: Pick<AuditEntry, 'actor_kind' | 'actor_name'>): string {
  return entry.actor_name ?? kind(entry);
}

/** What stands beside the name; null when the name says it already. */
export function actorKind(entry: Pick<AuditEntry, 'actor_kind' | 'actor_name'>): string | null {
  return entry.actor_name ? kind(entry) : null;
}

// A newer server may know a kind that this page does not.
function kind({ actor_kind }: Pick<AuditEntry, 'actor_kind'>): string {
  return KINDS[actor_kind] ?? actor_kind;
}
