// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.

/** What a member has to hold for one operation or another. */
export const NEEDED: ReadonlySet<string> = new Set([
  'analytics.export',
  'analytics.view',
  'audit.export',
  'audit.view',
  'links.bulk_unlink',
  'links.cleanup',
  'links.export',
  'links.unlink',
  'links.view',
  'org.billing',
  'org.invites',
  'org.navigation',
  'org.settings',
  'org.team',
  'servers.bots',
  'servers.keys',
  'servers.manage',
  'servers.roles',
  'servers.view',
]);
