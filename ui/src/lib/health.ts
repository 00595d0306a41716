// How things are doing, in one word, wherever they are shown.

import type { CustomKeyView, ServerView } from './api/schema';
import type { Status } from './ui/StatusPill.svelte';

/** Of a Server and of its key. The worst of what is known wins. */
export function health({ key, active, last_call_at_ms, silent }: Pick<ServerView, 'key' | 'active' | 'last_call_at_ms' | 'silent'>): Status {
  if (key.revoked) return 'revoked';
  if (!active) return 'inactive';
  if (last_call_at_ms == null) return 'never';
  return silent ? 'silent' : 'active';
}

export function keyHealth({ revoked, last_used_at_ms }: Pick<CustomKeyView, 'revoked' | 'last_used_at_ms'>): Status {
  if (revoked) return 'revoked';
  return last_used_at_ms == null ? 'unused' : 'active';
}
