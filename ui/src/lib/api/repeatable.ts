// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.

/** What makes something, once for each idempotency key. */
export const REPEATABLE: ReadonlySet<string> = new Set([
  'POST /orgs',
  'POST /orgs/{org}/guilds',
  'POST /orgs/{org}/invites',
  'POST /orgs/{org}/keys',
  'POST /orgs/{org}/servers',
]);
