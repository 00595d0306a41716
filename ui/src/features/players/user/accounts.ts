// The accounts of a graph, as it wants them.

import type { GraphAccount, GraphLink } from '$lib/api/schema';
import type { Account, Tie } from '$lib/charts/graph';
import { href } from '$lib/router.svelte';

/** What an account is called; nothing for one that was erased. */
export function accountName({ id, name }: Pick<GraphAccount, 'id' | 'name'>): string | null {
  return id == null ? null : (name ?? id);
}

export function accountPage(org: string, { id }: Pick<GraphAccount, 'id'>): string | null {
  return id == null ? null : href('/orgs/:org/users/:user', { org, user: id });
}

export function accountsOf(accounts: readonly GraphAccount[], org: string): Account[] {
  return accounts.map((account) => ({
    kind: account.steam ? 'steam' : 'discord',
    name: accountName(account),
    active: account.active,
    page: accountPage(org, account),
  }));
}

export function tiesOf(links: readonly GraphLink[]): Tie[] {
  return links.map(({ discord, steam, ended_at_ms }) => ({ discord, steam, active: ended_at_ms == null }));
}
