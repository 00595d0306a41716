import type { Attention, ServerView } from '$lib/api/schema';
import type { Status } from '$lib/ui/StatusPill.svelte';

/** How a Server is doing. The worst of what is known wins; whether it is silent is for the server to say. */
export function health(server: ServerView, attention: readonly Attention[]): Status {
  if (server.key.revoked) return 'revoked';
  if (!server.active) return 'inactive';
  if (server.last_call_at_ms == null) return 'never';
  return attention.some((one) => one.kind === 'silent' && one.subject === server.id) ? 'silent' : 'active';
}
