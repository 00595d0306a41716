// Coming back from Stripe: it is asked, and the page reads until the answer shows.

import { ApiError } from '$lib/api/client';
import type { BillingView, SubscriptionView } from '$lib/api/schema';

const EVERY_MS = 2_000;
const AT_MOST_MS = 60_000;
/** A page at Stripe can be paid on for that long. */
const CHECKOUT_MS = 2 * 60 * 60_000;
const KEY = 'checkout';

export interface Watch {
  /** Nothing before it starts, and when the page says itself why it cannot go on. */
  readonly state: 'waiting' | 'seen' | 'late' | 'failed' | null;
  readonly error: string;
  /** Asks Stripe and reads until `shows`. A purchase may be heard of even if asking fails. */
  start(shows: (view: BillingView) => boolean, persistent?: boolean): Promise<void>;
  stop(): void;
}

export function createWatch(ask: () => Promise<unknown>, read: () => Promise<BillingView | undefined>): Watch {
  let state = $state<Watch['state']>(null);
  let error = $state('');
  let runs = 0;

  async function wait(shows: (view: BillingView) => boolean, isMine: () => boolean): Promise<Watch['state']> {
    const end = Date.now() + AT_MOST_MS;
    while (isMine()) {
      try {
        const view = await read();
        if (view && shows(view)) return 'seen';
      } catch (cause) {
        if (cause instanceof ApiError && (cause.status === 403 || cause.status === 404)) return null;
      }
      if (Date.now() + EVERY_MS > end) return 'late';
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    return null;
  }

  return {
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    async start(shows, persistent = false) {
      const mine = ++runs;
      state = 'waiting';
      error = '';
      try {
        await ask();
      } catch (cause) {
        if (mine === runs && !persistent) {
          const handled = cause instanceof ApiError && cause.handled;
          error = cause instanceof ApiError ? cause.message : 'Something went wrong on this page. Reload it and try again.';
          state = handled ? null : 'failed';
          return;
        }
      }
      const found = await wait(shows, () => mine === runs);
      if (mine === runs) state = found;
    },
    stop() {
      runs += 1;
      state = null;
    },
  };
}

/** Before leaving for checkout: what counts already is not what is being bought. */
export function rememberHad(org: string, subscriptions: readonly SubscriptionView[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ org, had: had(subscriptions) }));
  } catch {
    // storage is switched off: what is new is told by its age
  }
}

/** What counted before leaving; null when it is not known. */
export function takeHad(org: string): string[] | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as { org: string; had: string[] } | null;
    sessionStorage.removeItem(KEY);
    return kept?.org === org && Array.isArray(kept.had) ? kept.had : null;
  } catch {
    return null;
  }
}

function had(subscriptions: readonly SubscriptionView[]): string[] {
  return subscriptions.filter(({ counts }) => counts).map(({ id }) => id);
}

/** What was bought, once it counts. */
export function boughtSince(view: BillingView, before: readonly string[] | null): SubscriptionView | undefined {
  const since = (view.read_at_ms ?? 0) - CHECKOUT_MS;
  return view.subscriptions.find((one) => one.counts && (before ? !before.includes(one.id) : one.started_at_ms > since));
}
