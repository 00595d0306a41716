// The way to the plans, for those who may buy one. To everyone else nothing is said about larger plans.

import { can } from './can';
import { href } from './router.svelte';
import { session } from './session.svelte';

const LARGEST = 'pro';

/** The billing page of the organisation in the address. */
export function billingPage(): string | null {
  const org = session.org;
  return org && session.me?.billing && can(org, 'org.billing') ? href('/orgs/:org/billing', { org: org.id }) : null;
}

/** The same, where there is a larger plan than the present one. */
export function largerPlans(): string | null {
  return session.org?.tier === LARGEST ? null : billingPage();
}

/** Where a new plan would let this person own more organisations: the best plan of theirs decides. */
export function plansForMoreOrgs(): string | null {
  const best = (session.me?.orgs ?? [])
    .filter((org) => org.role === 'owner')
    .sort((a, b) => ORDER.indexOf(b.tier) - ORDER.indexOf(a.tier))[0];
  return session.me?.billing && best && best.tier !== LARGEST ? href('/orgs/:org/billing', { org: best.id }) : null;
}

const ORDER: readonly string[] = ['free', 'standard', LARGEST];

export interface WayOut {
  href: string;
  label: string;
}

/** The page where what was refused can be put right, for those who may open it. */
export function wayOut(error: { code: string } | null): WayOut | null {
  const [page, label] =
    error?.code === 'LIMIT_REACHED' || error?.code === 'PLAN_REQUIRED'
      ? [largerPlans(), 'See plans']
      : error?.code === 'ACTIVE_SUBSCRIPTION' || error?.code === 'BOT_NOT_SUBSCRIBED'
        ? [billingPage(), 'Open billing']
        : [null, ''];
  return page ? { href: page, label } : null;
}
