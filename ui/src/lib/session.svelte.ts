// What the whole page knows about the person, and what interrupts it.

import type { Me, OrgSummary } from './api/schema';
import { router } from './router.svelte';

class Session {
  /** Set before any page is shown. */
  me = $state.raw<Me | null>(null);
  /** The text of the maintenance card, or null when there is no maintenance. */
  maintenance = $state<string | null>(null);
  /** The session is over. What is on the page stays as it is until the person signs in again. */
  signedOut = $state(false);
  /** A sign-in is asked for: because the session is over, or because it is too old for what was to be done. */
  asks = $state<'ended' | 'again' | null>(null);
  /** Refusals in an Org so far: with each of them the person may hold other rights than this page knows of. */
  refusals = $state(0);
  /** A file of this version is gone: a newer one was deployed. */
  outdated = $state(false);

  /** The Org in the address; null when there is none, or it is not one of this person's. */
  get org(): OrgSummary | null {
    const id = router.params.org;
    return this.me?.orgs.find((org) => org.id === id) ?? null;
  }

  /** The server does not know the session any more. Reads that go on by themselves ask only once. */
  end(asked: 'by itself' | 'by the person') {
    if (!this.signedOut || asked === 'by the person') this.asks = 'ended';
    this.signedOut = true;
  }

  /** It does again: somebody signed in, in another tab. */
  resume() {
    this.signedOut = false;
    if (this.asks === 'ended') this.asks = null;
    this.refusals += 1; // it may be somebody else
  }
}

export const session = new Session();

/** What the server takes for a way back; with any other filter in the address, people come back to the page alone. */
const RETURNS = /^[\w\-./?=&]{1,512}$/;

/** The page of the identity provider's sign-in that comes back to where the person is now. */
export function signInAddress(again = false): string {
  const whole = location.pathname + location.search;
  const here = RETURNS.test(whole) ? whole : location.pathname;
  return `/auth/discord/login?return_to=${encodeURIComponent(here)}${again ? '&again=1' : ''}`;
}
