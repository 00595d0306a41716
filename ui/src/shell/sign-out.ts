import { ApiError, call } from '../lib/api/client';
import { leaveForGood } from '../lib/leave';
import { session } from '../lib/session.svelte';
import { toast } from '../lib/toast.svelte';

export async function signOut() {
  try {
    await call('POST /account/sign-out');
  } catch (cause) {
    const error = cause instanceof ApiError ? cause : null;
    if (error?.code !== 'SIGN_IN_REQUIRED') {
      if (!error?.handled) toast.error('You’re still signed in: we couldn’t reach the server. Try again.');
      return;
    }
    session.asks = null; // the session is over, as was wanted
  }
  leaveForGood();
}
