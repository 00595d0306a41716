// The ways to Stripe's pages. One is taken at a time, and its button stays busy until the page is left.

import { ApiError, call } from '$lib/api/client';
import { keys, queryClient } from '$lib/api/queries';
import type { BillingView, PayInterval, Tier } from '$lib/api/schema';
import { rememberHad } from './watch.svelte';

/** A way that leads nowhere for so long has been stopped. */
const STUCK_MS = 15_000;
const WEB = /^https?:\/\//;

export interface Leaving {
  /** The place of the button that was pressed. */
  readonly from: string | null;
  /** What was refused, and where. */
  readonly refused: { at: string; error: ApiError } | null;
  buyPlan(at: string, plan: Tier, interval: PayInterval): Promise<void>;
  buyBot(at: string, guild: string): Promise<void>;
  openPortal(at: string): Promise<void>;
  /** The page is shown again as it was left, by Back. */
  back(): void;
}

export function createLeaving(org: () => string, view: () => BillingView | undefined): Leaving {
  let from = $state<string | null>(null);
  let refused = $state.raw<Leaving['refused']>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stay() {
    clearTimeout(timer);
    from = null;
  }

  async function leave(at: string, open: () => Promise<{ url: string }>, buys: boolean) {
    if (from !== null) return; // the second of two quick clicks
    from = at;
    refused = null;
    try {
      const { url } = await open();
      if (!WEB.test(url)) throw new ApiError(0, 'UNREADABLE', 'We couldn’t read the server’s response. Try again in a moment.');
      if (buys) rememberHad(org(), view()?.subscriptions ?? []);
      location.assign(url);
      timer = setTimeout(stay, STUCK_MS);
    } catch (cause) {
      stay();
      const error = cause instanceof ApiError ? cause : new ApiError(0, 'PAGE_FAILED', 'Something went wrong on this page. Reload it and try again.');
      if (error.handled) return;
      refused = { at, error };
      // What is shown is out of date: something was bought or cancelled elsewhere.
      if (error.status === 409) void queryClient.invalidateQueries({ queryKey: keys.billing(org()) });
    }
  }

  return {
    get from() {
      return from;
    },
    get refused() {
      return refused;
    },
    buyPlan: (at, plan, interval) => leave(at, () => call('POST /orgs/{org}/billing/plan/checkout', { path: { org: org() }, body: { plan, interval } }), true),
    buyBot: (at, guild) => leave(at, () => call('POST /orgs/{org}/guilds/{guild}/billing/checkout', { path: { org: org(), guild } }), true),
    openPortal: (at) => leave(at, () => call('POST /orgs/{org}/billing/portal', { path: { org: org() } }), false),
    back: stay,
  };
}
