import { ApiError, call } from '../lib/api/client';
import { forgetDrafts } from '../lib/drafts.svelte';
import { toast } from '../lib/toast.svelte';

export async function signOut() {
  try {
    await call('POST /account/sign-out');
  } catch (cause) {
    if (cause instanceof ApiError && cause.handled) return;
    toast.error('You are still signed in: the server could not be reached. Try again.');
    return;
  }
  forgetDrafts();
  location.assign('/');
}
