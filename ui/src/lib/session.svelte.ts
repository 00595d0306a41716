// What the whole page knows about the person, and what interrupts it.

import type { Me, OrgSummary } from './api/schema';
import { router } from './router.svelte';

class Session {
  /** Set before any page is shown. */
  me = $state.raw<Me | null>(null);
  /** The text of the maintenance card, or null when there is no maintenance. */
  maintenance = $state<string | null>(null);
  /** An action wants a sign-in that is fresher than this one. */
  signInAgain = $state(false);
  /** A file of this version is gone: a newer one was deployed. */
  outdated = $state(false);

  /** The Org in the address; null when there is none, or it is not one of this person's. */
  get org(): OrgSummary | null {
    const id = router.params.org;
    return this.me?.orgs.find((org) => org.id === id) ?? null;
  }
}

export const session = new Session();

/** The page of the identity provider's sign-in that comes back to where the person is now. */
export function signInAddress(again = false): string {
  const here = location.pathname + location.search;
  return `/auth/discord/login?return_to=${encodeURIComponent(here)}${again ? '&again=1' : ''}`;
}
