// Every screen of the dashboard in every state worth a look, on made-up data.
import { readFileSync } from 'node:fs';
import { rest } from '../../tests/e2e/waiting.mjs';
import { need } from './browser.mjs';
import { OPERATOR_SCREENS } from './screens-operators.mjs';
import { ASH, AWAY, CROWD, FRESH } from './fixtures-person.mjs';

const AXE = readFileSync(need.resolve('axe-core/axe.min.js'), 'utf8');

const dialog = (page) => page.getByRole('dialog').waitFor();
const list = (page) => page.getByRole('listbox').waitFor();
/** Past everything that is made when somebody comes near it, and back. */
export async function through(page) {
  for (let at = 0; at < (await page.evaluate(() => document.documentElement.scrollHeight)); at += 600) {
    await page.evaluate((top) => scrollTo(0, top), at);
    await rest(page);
  }
  await page.evaluate(() => scrollTo(0, 0));
}
const bar = (page) => page.getByText('You have unsaved changes.').waitFor();

const BOT = '/orgs/o1/guilds/g1/bot';
const BOTS = ['unbought', 'unsold', 'tokenless', 'allocate', 'install', 'deploy', 'start', 'no_room', 'not_in_guild', 'unreachable', 'intents', 'lacking', 'included', 'alone', 'handover', 'handback', 'paused', 'paused_alone', 'resuming', 'token_rejected', 'crash_loop', 'install_error', 'sharding_required', 'refused', 'identify_budget'];

// name: [path, world, what to do before looking]
export const SCREENS = {
  orgs: ['/'],
  'orgs-empty': ['/', 'empty'],
  new: ['/new'],
  'new-tried': ['/new', '', async (page) => {
    await page.click('main button[type=submit]');
    await page.locator('[aria-invalid=true]').first().waitFor();
  }],
  'new-invited': ['/new', 'invited'],
  overview: ['/orgs/o1'],
  'overview-fresh': ['/orgs/o1', 'fresh'],
  'overview-calm': ['/orgs/o1', 'calm'],
  'overview-over': ['/orgs/o2'],
  'overview-error': ['/orgs/o1', 'error'],
  settings: ['/orgs/o1/settings'],
  'settings-dirty': ['/orgs/o1/settings', '', async (page) => {
    await page.fill('main input', 'Rustlands EU');
    await bar(page);
  }],
  'settings-delete': ['/orgs/o1/settings', '', async (page) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog(page);
  }],
  'settings-transfer': ['/orgs/o1/settings', '', async (page) => {
    await page.getByRole('button', { name: 'Transfer ownership' }).click();
    await page.getByRole('combobox').click();
    await page.getByRole('option').first().waitFor();
  }],
  'settings-again': ['/orgs/o1/settings', 'again', async (page) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel(/Type rustlands/).fill('rustlands');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  }],
  account: ['/account'],
  'account-toast': ['/account', '', async (page) => {
    await page.getByRole('button', { name: 'End session on Safari' }).click();
    await page.getByText('Ended the session on Safari').waitFor();
  }],
  'account-member': ['/account', 'admin'],
  'account-delete': ['/account', 'admin', async (page) => {
    await page.getByRole('button', { name: 'Delete account' }).click();
    await dialog(page);
  }],
  denied: ['/orgs/o2/settings'],
  strange: ['/orgs/nope'],
  missing: ['/no/such/page'],
  maintenance: ['/', 'maintenance'],
  palette: ['/orgs/o1', '', async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option').nth(12).waitFor();
  }],
  switcher: ['/orgs/o1', '', async (page, width) => {
    if (width < 860) await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Switch organisation' }).click();
    await page.getByRole('menu').waitFor();
  }],
  guilds: ['/orgs/o1/guilds'],
  'guilds-removing': ['/orgs/o2/guilds'],
  'guilds-new': ['/orgs/o1/guilds/new'],
  guild: ['/orgs/o1/guilds/g1'],
  'guild-kicked': ['/orgs/o1/guilds/g1', 'kicked'],
  'guild-lacking': ['/orgs/o1/guilds/g1', 'lacking'],
  'guild-unseen': ['/orgs/o1/guilds/g1', 'unseen'],
  'guild-channels': ['/orgs/o1/guilds/g1', '', async (page) => {
    await page.getByLabel('Log Channel ID').click();
    await list(page);
  }],
  'guild-roles': ['/orgs/o1/guilds/g1', '', async (page) => {
    await page.getByRole('combobox', { name: 'Verified roles' }).press('ArrowDown');
    await list(page);
  }],
  'guild-nothing': ['/orgs/o1/guilds/g1', '', async (page) => {
    await page.getByLabel('Log Channel ID').fill('nowhere');
    await page.getByText('No channel matches.').waitFor();
  }],
  'guild-checkup': ['/orgs/o1/guilds/g1/checkup'],
  'guild-checkup-fine': ['/orgs/o1/guilds/g2/checkup'],
  'guild-checkup-broken': ['/orgs/o1/guilds/g1/checkup', 'kicked'],
  'guild-checkup-viewer': ['/orgs/o1/guilds/g1/checkup', 'viewer'],
  'guild-checkup-missing': ['/orgs/o1/guilds/g9/checkup'],
  'guild-checkup-error': ['/orgs/o1/guilds/g1/checkup', 'error'],
  bot: [BOT],
  ...Object.fromEntries(BOTS.map((state) => [`bot-${state.replaceAll('_', '-')}`, [BOT, `bot_${state}`]])),
  'bot-keeper': [BOT, 'botkeeper'],
  'bot-denied': ['/orgs/o2/guilds/g1/bot'],
  'bot-error': [BOT, 'error'],
  'bot-tried': [BOT, 'bot_tokenless', async (page) => {
    await page.getByLabel('Token', { exact: true }).fill('714513381600264777');
    await page.getByRole('button', { name: 'Save token' }).click();
    await page.getByText('This is an ID.').waitFor();
  }],
  'bot-another': [BOT, '', async (page) => {
    await page.route('**/bot/token', (route) => route.fulfill({ status: 409, json: { status: 409, code: 'BOT_OTHER_IDENTITY', message: 'This token belongs to another bot.', request_id: 'r1' } }));
    await page.getByLabel('New token').fill('MTIz.abc.def');
    await page.getByRole('button', { name: 'Replace token' }).click();
    await dialog(page);
  }],
  'bot-remove': [BOT, 'bot_alone', async (page) => {
    await page.getByRole('button', { name: 'Remove bot' }).click();
    await dialog(page);
  }],
  servers: ['/orgs/o1/servers'],
  server: ['/orgs/o1/servers/s1'],
  'server-old': ['/orgs/o1/servers/s2'],
  'server-refused': ['/orgs/o1/servers/s2', '', async (page) => {
    await page.getByRole('button', { name: '221 calls' }).click();
    await dialog(page);
  }],
  plugin: ['/orgs/o1/plugin?server=s1'],
  'plugin-unchosen': ['/orgs/o1/plugin?on=carbon'],
  'plugin-none': ['/orgs/o1/plugin', 'fresh'],
  'plugin-viewer': ['/orgs/o1/plugin?server=s1', 'viewer'],
  'plugin-revoked': ['/orgs/o1/plugin', 'revoked'],
  'plugin-gone': ['/orgs/o1/plugin?server=s9'],
  'plugin-error': ['/orgs/o1/plugin', 'error'],
  roles: ['/orgs/o1/roles'],
  'roles-checking': ['/orgs/o1/roles', 'checking'],
  'roles-only': ['/orgs/o1/roles', 'roles_only'],
  rules: ['/orgs/o1/servers/s1/roles'],
  'rules-only': ['/orgs/o1/servers/s1/roles', 'roles_only'],
  'rules-none': ['/orgs/o1/servers/s1/roles', 'fresh'],
  'rules-kicked': ['/orgs/o1/servers/s1/roles', 'kicked'],
  'rules-lacking': ['/orgs/o1/servers/s1/roles', 'lacking'],
  'rules-unseen': ['/orgs/o1/servers/s1/roles', 'unseen', (page) => page.getByRole('button', { name: 'Add rule' }).click()],
  'rules-roles': ['/orgs/o1/servers/s1/roles', '', (page) => page.getByRole('group', { name: 'Rule 1', exact: true }).getByLabel('Discord role').click()],
  'rules-tried': ['/orgs/o1/servers/s1/roles', '', async (page) => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('Choose a role.').waitFor();
  }],
  'rules-review': ['/orgs/o1/servers/s1/roles', '', async (page) => {
    await page.getByRole('group', { name: 'Rule 1', exact: true }).getByLabel('When someone leaves the group').selectOption('keep');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('Would add 214').waitFor();
  }],
  'rules-allow': ['/orgs/o1/servers/s1/roles', '', async (page) => {
    await page.getByRole('group', { name: 'Rule 1', exact: true }).getByLabel('Discord role').click();
    await page.getByRole('option', { name: 'Moderator' }).click();
    await page.getByRole('dialog', { name: 'Allow Moderator?' }).waitFor();
  }],
  'role-history': ['/orgs/o1/guilds/g1/role-history'],
  'role-history-none': ['/orgs/o1/guilds/g1/role-history', 'fresh'],
  'role-history-searched': ['/orgs/o1/guilds/g1/role-history?member=204255221017214971'],
  'role-history-wrong': ['/orgs/o1/guilds/g1/role-history', '', async (page) => {
    await page.getByLabel('Player').fill('ashfox');
    await page.getByRole('search').getByRole('button', { name: 'Search' }).click();
    await page.getByText('Enter a Discord or Steam ID.').waitFor();
  }],
  person: [`/orgs/o1/users/${ASH}`, '', through],
  'person-fresh': [`/orgs/o1/users/${FRESH}`, '', through],
  'person-crowd': [`/orgs/o1/users/${CROWD}`, '', through],
  'person-tables': [`/orgs/o1/users/${ASH}?days=90&history=table&accounts=list`, '', through],
  'person-flagged': [`/orgs/o1/users/${AWAY}`, '', through],
  'person-missing': ['/orgs/o1/users/999'],
  'person-error': [`/orgs/o1/users/${ASH}`, 'error'],
  'person-unlink': [`/orgs/o1/users/${ASH}`, '', async (page) => {
    await page.getByRole('button', { name: 'Unlink' }).click();
    await dialog(page);
  }],
  'guild-nickname': ['/orgs/o1/guilds/g1', '', (page) => page.getByRole('textbox', { name: /^Nickname/ }).fill('{steam} | {discord}')],
  users: ['/orgs/o1/users'],
  'users-filtered': ['/orgs/o1/users?q=ash&status=active'],
  'users-nobody': ['/orgs/o1/users?q=nobody'],
  'users-viewer': ['/orgs/o2/users'],
  'users-unlinking': ['/orgs/o1/users', 'unlinking'],
  'users-filling': ['/orgs/o1/users?tier=Risk', 'filling'],
  'users-error': ['/orgs/o1/users', 'error'],
  'users-menu': ['/orgs/o1/users', '', async (page) => {
    await page.getByRole('button', { name: 'Actions for ashfox12' }).click();
    await page.getByRole('menu').waitFor();
  }],
  'users-unlink': ['/orgs/o1/users', '', async (page) => {
    await page.getByRole('button', { name: 'Actions for ashfox12' }).click();
    await page.getByRole('menuitem', { name: 'Unlink' }).click();
    await dialog(page);
  }],
  'users-selected': ['/orgs/o1/users', '', (page) => page.getByLabel('Select all on this page').check()],
  'users-everyone': ['/orgs/o1/users?country=SE&guild_id=g1', '', async (page) => {
    await page.route('**/api/orgs/o1/users?*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), next: 'c50' } });
    });
    await page.reload();
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Select everyone who matches' }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await dialog(page);
  }],
  analytics: ['/orgs/o1/analytics'],
  'analytics-tables': ['/orgs/o1/analytics?days=7&as=table'],
  'analytics-year': ['/orgs/o1/analytics?days=365&guild_id=g1'],
  'analytics-gone': ['/orgs/o1/analytics?guild_id=g9'],
  'analytics-error': ['/orgs/o1/analytics', 'error'],
  import: ['/orgs/o1/import'],
  'import-checked': ['/orgs/o1/import', 'checked'],
  'import-nothing': ['/orgs/o1/import', 'nothing_new'],
  'import-start': ['/orgs/o1/import', 'checked', async (page) => {
    await page.getByRole('button', { name: 'Import 1,204 links and 87 ended links' }).click();
    await dialog(page);
  }],
  'import-running': ['/orgs/o1/import', 'importing'],
  'import-done': ['/orgs/o1/import?import=i2'],
  'import-stopped': ['/orgs/o1/import?import=i3'],
  'import-error': ['/orgs/o1/import', 'error'],
  trust: ['/orgs/o1/trust'],
  'trust-tried': ['/orgs/o1/trust', '', async (page) => {
    await page.getByRole('button', { name: 'Add keyword' }).click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByText('Enter a part of a group’s name.').waitFor();
  }],
  'trust-simulated': ['/orgs/o1/trust', '', async (page) => {
    await page.getByRole('group', { name: 'helper' }).getByLabel('Counts as').selectOption('moderator');
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByText('214 of 1,200 people would change tier.').waitFor();
  }],
  'users-flagged': ['/orgs/o1/users?status=flagged', '', (page) => page.getByLabel('Select all on this page').check()],
  cleanup: ['/orgs/o1/cleanup'],
  'cleanup-off': ['/orgs/o1/cleanup', 'cleanup_off'],
  'cleanup-running': ['/orgs/o1/cleanup', 'cleaning'],
  'cleanup-cleaner': ['/orgs/o1/cleanup', 'cleaner'],
  'cleanup-error': ['/orgs/o1/cleanup', 'error'],
  'cleanup-previewed': ['/orgs/o1/cleanup', '', async (page) => {
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText(/links are dormant after 90 days/).waitFor();
  }],
  'cleanup-asked': ['/orgs/o1/cleanup', 'cleanup_off', async (page) => {
    await page.getByRole('switch', { name: 'End the links of dormant accounts' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByText(/flagged as soon as you save/).waitFor();
  }],
  'cleanup-wrong': ['/orgs/o1/cleanup', '', (page) => page.getByLabel('Days until dormant').fill('6')],
  billing: ['/orgs/o1/billing'],
  'billing-year': ['/orgs/o1/billing?pay=year', 'over'],
  'billing-late': ['/orgs/o1/billing', 'late'],
  'billing-ending': ['/orgs/o1/billing', 'ending'],
  'billing-given': ['/orgs/o1/billing', 'given'],
  'billing-cancelled': ['/orgs/o1/billing?checkout=cancelled', 'payer'],
  'billing-denied': ['/orgs/o2/billing'],
  'billing-unsold': ['/orgs/o1/billing', 'unsold'],
  'billing-error': ['/orgs/o1/billing', 'error'],
  'billing-refused': ['/orgs/o1/billing', 'over', async (page) => {
    await page.route('**/billing/plan/checkout', (route) => route.fulfill({ status: 409, json: { status: 409, code: 'USE_PORTAL', message: 'There is a subscription for this already. Switch, pay or cancel it in the billing portal.', request_id: 'r1' } }));
    await page.getByRole('button', { name: 'Buy Pro' }).click();
    await page.getByText('There is a subscription for this already.').waitFor();
  }],
  'overview-upgrade': ['/orgs/o1', 'over'],
  team: ['/orgs/o1/team'],
  invites: ['/orgs/o1/team?tab=invites'],
  keys: ['/orgs/o1/keys'],
  'keys-refused': ['/orgs/o1/keys', '', async (page) => {
    await page.getByRole('button', { name: '5 calls' }).click();
    await dialog(page);
  }],
  linkpage: ['/orgs/o1/link-page'],
  audit: ['/orgs/o1/audit'],
  errors: ['/orgs/o1/errors'],
  'errors-detail': ['/orgs/o1/errors', '', async (page) => {
    await page.getByRole('button', { name: 'Details of' }).first().click();
    await dialog(page);
  }],
  ...OPERATOR_SCREENS,
  admin: ['/admin', 'operating'],
  'admin-calm': ['/admin', 'calm_operating'],
  'admin-stranger': ['/admin'],
  'admin-errors': ['/admin/errors', 'operating'],
  'admin-errors-none': ['/admin/errors', 'calm_operating'],
  'admin-errors-detail': ['/admin/errors', 'operating', async (page) => {
    await page.getByRole('button', { name: 'Details of' }).nth(3).click();
    await dialog(page);
  }],
  'admin-menu': ['/orgs/o1', 'operating', async (page, width) => {
    if (width < 860) await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menu').waitFor();
  }],
  ...Object.fromEntries(['guilds', 'guilds/new', 'servers', 'roles', 'team?tab=invites', 'keys', 'link-page', 'audit', 'errors', 'users', 'trust', 'cleanup', 'analytics', 'import', 'billing'].map((path) => [`none-${path.split(/[/?]/).join('-')}`, [`/orgs/o1/${path}`, 'fresh']])),
  'guilds-new-done': ['/orgs/o1/guilds/new', '', async (page) => {
    await page.getByLabel('Rustlands Events').check();
    await page.getByRole('button', { name: 'Add Guild' }).click();
    await page.getByRole('link', { name: 'Open settings' }).waitFor();
  }],
  'guild-dirty': ['/orgs/o1/guilds/g1', '', async (page) => {
    await page.getByLabel('Short name').fill('rust-lands');
    await bar(page);
  }],
  'guild-remove': ['/orgs/o1/guilds/g1', '', async (page) => {
    await page.getByRole('button', { name: 'Remove Guild' }).click();
    await dialog(page);
  }],
  'servers-made': ['/orgs/o1/servers', '', async (page) => {
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByLabel('Name').fill('EU 3x');
    await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
    await page.getByText('What to do next').waitFor();
  }],
  'server-reveal': ['/orgs/o1/servers/s1', '', async (page) => {
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.getByRole('button', { name: 'Hide' }).waitFor();
  }],
  'server-regenerate': ['/orgs/o1/servers/s4', '', async (page) => {
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await dialog(page);
  }],
  'keys-new': ['/orgs/o1/keys', '', async (page) => {
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('checkbox', { name: 'count', exact: true }).check();
  }],
  'team-role': ['/orgs/o1/team', '', async (page) => {
    await page.getByRole('button', { name: 'Role of' }).first().click();
    await page.getByRole('menuitemcheckbox', { checked: false }).click();
    await dialog(page);
  }],
  'invites-new': ['/orgs/o1/team?tab=invites', '', async (page) => {
    await page.getByRole('button', { name: 'Create invite' }).click();
    await dialog(page);
  }],
  'linkpage-icon': ['/orgs/o1/link-page', '', async (page) => {
    await page.getByRole('button', { name: 'Icon of Chat' }).click();
    await page.getByRole('menuitemcheckbox').first().waitFor();
  }],
  'audit-detail': ['/orgs/o1/audit', '', async (page) => {
    await page.getByRole('button', { name: 'Details of' }).nth(1).click();
    await dialog(page);
  }],
};

/** Does what is to be done on a screen, and waits until all of it shows. */
export async function act(page, width, what) {
  await what?.(page, width);
  await rest(page);
}

/** What is wrong with what a page shows: the width of the screen, the content policy, and everything axe looks for, or these rules. */
export async function wrongWith(page, rules) {
  const wrong = [];
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wrong.push('wider than the screen');
  wrong.push(...(await page.evaluate(() => globalThis.breaches.splice(0))).map((one) => `policy: ${one}`));
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate((runOnly) => globalThis.axe.run(runOnly ? { runOnly } : {}), rules);
  for (const { id, impact, nodes } of violations) wrong.push(`${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  return wrong;
}

/** What is wrong with any screen of this width. A theme changes colours and nothing else, so the second one is looked at for those. */
export async function wrongWithAny(on, width) {
  const findings = [];
  for (const [name, [path, world, what]] of Object.entries(SCREENS)) {
    const wrong = [];
    const page = await on.page({ world, width, notes: true }, wrong);
    await on.goto(page, path);
    await act(page, width, what);
    for (const [colorScheme, rules] of [['light'], ['dark', ['color-contrast']]]) {
      await page.emulateMedia({ colorScheme });
      wrong.push(...(await wrongWith(page, rules)).map((one) => `${colorScheme}: ${one}`));
    }
    findings.push(...wrong.map((one) => `${name}: ${one}`));
    await page.context().close();
  }
  return findings;
}
