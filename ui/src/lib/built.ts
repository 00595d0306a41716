// What of the product exists. Until a thing does, its settings say so and whatever makes sense only with it is not
// shown. Whoever builds it switches it on here; a permission follows by itself from the first route that needs it.

import { NEEDED } from './api/permissions';
import { session } from './session.svelte';

export const BUILT = {
  /** Messages about links in the log channel of a Guild. */
  logs: true,
  /** Bots that get keys of their own. */
  bots: false,
};

/** Whether holding it makes any difference here. Where nothing is sold, there is no billing to manage. */
export function unlocks(permission: string): boolean {
  return NEEDED.has(permission) && (permission !== 'org.billing' || session.me?.billing === true);
}
