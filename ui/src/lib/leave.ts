// Ways out of the page: those that come back to it, with what was typed, and the one that does not.

import { call } from './api/client';
import { forgetDrafts, keepDrafts } from './drafts.svelte';
import { isPlain, router } from './router.svelte';

/** For links that come back here. Without it, people with unsaved changes are asked first. */
export function leavingBy(event: MouseEvent) {
  if (isPlain(event)) leaving();
}

function leaving() {
  if (keepDrafts()) router.release();
}

export function reload() {
  leaving();
  location.reload();
}

/** Out to a place that needs a session. Whether there is one is asked here, where it can be put right. */
export async function travel(to: string) {
  await call('GET /account');
  leaving();
  location.assign(to);
}

/** Out of the dashboard, once the session is over: nothing of the person's stays in this tab. */
export function leaveForGood() {
  forgetDrafts();
  location.assign('/');
}
