// Calls that were refused: why, and what to do about it.

import type { RefusedCall } from './api/schema';

/** Whose key it is: what can be done differs. */
export type KeyKind = 'plugin' | 'custom' | 'bot';

const ON_OUR_SIDE = 'It failed on the installation’s side. The same call can be sent again. If this goes on, tell the operator.';

const WORDS: Record<string, string | Record<KeyKind, string>> = {
  UNAUTHORIZED: {
    plugin: 'The key was regenerated, and something still uses the old one. Put the current key there.',
    custom: 'Something still uses an old version of this key. Put the current one there.',
    bot: 'Something still uses an old version of this key. The platform gives its bots the current one.',
  },
  KEY_REVOKED: {
    plugin: 'The key is revoked. Regenerate it, then put the new one into the plugin.',
    custom: 'The key is revoked, and something still uses it. Create a new key for it, or switch it off.',
    bot: 'The key is revoked, and something still uses it.',
  },
  SERVER_INACTIVE: 'The Server is inactive. Activate it on its page.',
  QUERY_KEY_REFUSED: 'The key was sent in the URL, which your organisation refuses. Send it in the X-API-Key header.',
  BROWSER_REFUSED: 'A browser or a link preview opened a URL with the key in it. Send the key in the X-API-Key header.',
  SCOPE_MISMATCH: 'The call named a Guild or Server that the key doesn’t belong to. Leave out guild_id and server_id, or use the right key.',
  PERMISSION_DENIED: {
    plugin: 'The call was for an action that plugin keys don’t have. Use a custom key for it.',
    custom: 'The call was for an action that this key doesn’t have. Edit the key to add it, or stop calling it.',
    bot: 'The call was for an action that bot keys don’t have.',
  },
  PLAN_REQUIRED: 'Your plan doesn’t include what the call asked for.',
  UNKNOWN_ACTION: 'There’s no action with that name. Check its spelling; names are case-sensitive.',
  INVALID_PARAMETER: 'A parameter was missing, repeated or invalid. The response names it in “parameter”.',
  INVALID_JSON: 'The body couldn’t be read or had unexpected fields. Send only documented fields.',
  TOO_MANY_IDS: 'One call had more IDs than your plan allows. Send fewer at a time.',
  PAYLOAD_TOO_LARGE: 'The body was too large. Send less at a time.',
  RATE_LIMITED: 'There were too many calls in a short time. Call less often, and give each program its own key.',
  STEAM_UNAVAILABLE: 'Steam told us nothing about the players: it’s unreachable, or their profiles are private.',
  STEAM_NOT_CONFIGURED: 'This installation has no key for Steam. Its operator can add one.',
  TIMEOUT: 'The call took too long to arrive or to be answered. It can be sent again.',
  INTERNAL: ON_OUR_SIDE,
  OVERLOADED: ON_OUR_SIDE,
  STORAGE_UNAVAILABLE: ON_OUR_SIDE,
  OUTCOME_UNKNOWN: ON_OUR_SIDE,
};

/** What goes wrong and what to do. Of a code that this version does not know, the caller was told more than we were. */
export function fixOf(code: string, kind: KeyKind): string {
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  if (!words) return 'The response’s “message” says what went wrong.';
  return typeof words === 'string' ? words : words[kind];
}

/** Those of one key; nothing until they are known. */
export function ofKey(refused: readonly RefusedCall[] | undefined, key: string): RefusedCall[] | undefined {
  return refused?.filter((one) => one.key_id === key);
}

export function totalOf(refused: readonly RefusedCall[]): number {
  return refused.reduce((sum, { calls }) => sum + calls, 0);
}
