// Where the keyboard is after everything that opens, closes, shows, hides or goes. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { holdsFocus, rest, until } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { READS } from '../fixtures.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const button = (page, name, exact = true) => page.getByRole('button', { name, exact });
const inDialog = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const describe = (page) => page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent?.trim().slice(0, 60)}`);

/** Looked up anew each time: what has the focus in the end may not be there yet. */
const isFocused = (locator) => locator.evaluateAll((all) => all.length === 1 && all[0] === document.activeElement);

/** The focus is on it, and is still there when everything has come to rest. */
async function has(page, locator) {
  await until(() => isFocused(locator), async () => `the focus to be on ${locator} instead of ${await describe(page)}`);
  await rest(page);
  assert.ok(await isFocused(locator), `the focus went on to ${await describe(page)}`);
}

/** From now on the server answers this read otherwise. */
const answer = (page, path, json) => page.route(`**/api${path}`, (route) => (route.request().method() === 'GET' ? route.fulfill({ json }) : route.fallback()));

/** Opens something by keyboard, so that what is pressed has the focus. A dialog around it takes the focus first. */
async function press(page, locator) {
  const isReady = (element) => (element.closest('[role=dialog], [role=menu]') ?? document).contains(document.activeElement);
  await until(() => locator.evaluate(isReady), `the focus to be near ${locator}`);
  await locator.focus();
  await page.keyboard.press('Enter');
}
async function opened(page) {
  await holdsFocus(page.getByRole('dialog'));
}
async function closed(page) {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

// Dialogs that are called off: [what, path, the button, world]
for (const [what, path, name, world] of [
  ['deleting an organisation', '/orgs/o1/settings', 'Delete'],
  ['transferring it', '/orgs/o1/settings', 'Transfer ownership'],
  ['ending all other sessions', '/account', 'End all others'],
  ['leaving an organisation', '/account', 'Leave Arcadia Survival Network of the North'],
  ['deleting the account', '/account', 'Delete account', 'admin'],
  ['removing a Guild', '/orgs/o1/guilds/g1', 'Remove Guild'],
  ['adding a Server', '/orgs/o1/servers', 'Add Server'],
  ['regenerating a key', '/orgs/o1/servers/s1', 'Regenerate'],
  ['revoking a key', '/orgs/o1/servers/s1', 'Revoke'],
  ['deactivating a Server', '/orgs/o1/servers/s1', 'Deactivate'],
  ['deleting a Server', '/orgs/o1/servers/s1', 'Delete Server'],
  ['creating a custom key', '/orgs/o1/keys', 'Create key'],
  ['editing a custom key', '/orgs/o1/keys', 'Edit Website'],
  ['revoking a custom key', '/orgs/o1/keys', 'Revoke Website'],
  ['removing a custom key', '/orgs/o1/keys', 'Remove Old panel'],
  ['creating an invite', '/orgs/o1/team?tab=invites', 'Create invite'],
  ['removing a member', '/orgs/o1/team', 'Remove iven'],
  ['looking at an audit entry', '/orgs/o1/audit', /^Details of/],
  ['looking at an error', '/orgs/o1/errors', /^Details of/],
  ['looking at an error of the installation', '/admin/errors', /^Details of/, 'operating'],
  ['granting operator', '/admin/operators', 'Grant operator', 'operating'],
  ['signing everyone out', '/admin/sessions', 'Sign out everyone but me', 'operating'],
  ['adding a block', '/admin/blocklist', 'Add block', 'operating'],
  ['creating an announcement', '/admin/announcements', 'Create announcement', 'operating'],
  ['editing an announcement', '/admin/announcements', /^Edit Discord/, 'operating'],
  ['turning on maintenance', '/admin/maintenance', 'Turn on maintenance', 'operating'],
  ['creating a registration code', '/admin/registration', 'Create code', 'operating'],
  ['dropping a job', '/admin/jobs', 'Drop job 8841', 'operating'],
  ['visiting an organisation', '/admin/orgs/org_1', 'Begin visit', 'operating'],
  ['releasing a Discord server', '/admin/orgs/org_1', 'Release Rust Haven', 'operating'],
  ['transferring an organisation of others', '/admin/orgs/org_1', 'Transfer ownership', 'operating'],
]) {
  test(`after ${what} is called off, the focus is where it began`, async () => {
    const { page, leave } = await on.visit(path, { world });
    const from = page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' }).first();
    await press(page, from);
    await opened(page);
    await page.keyboard.press('Escape');
    await closed(page);
    await has(page, from);
    const cancel = inDialog(page, 'Cancel');
    await press(page, from);
    await opened(page);
    await press(page, (await cancel.count()) ? cancel : inDialog(page, 'Close'));
    await closed(page);
    await has(page, from);
    await leave();
  });
}

test('a revealed key offers Copy, a hidden one Reveal, also when it hides itself', async () => {
  for (const [path, what] of [['/orgs/o1/servers/s1', 'key of EU Main 2x'], ['/orgs/o1/keys', 'key Website']]) {
    const { page, leave } = await on.visit('/');
    await page.clock.install();
    await on.goto(page, path);
    await press(page, button(page, `Reveal ${what}`));
    await has(page, button(page, `Copy ${what}`));
    await press(page, button(page, `Hide ${what}`));
    await has(page, button(page, `Reveal ${what}`));
    await page.keyboard.press('Enter');
    await has(page, button(page, `Copy ${what}`));
    await page.clock.fastForward(31_000);
    await has(page, button(page, `Reveal ${what}`));
    await leave();
  }
});

test('a new Server shows its key with the focus on Copy, and Done leads back', async () => {
  const { page, leave } = await on.visit('/orgs/o1/servers');
  const from = button(page, 'Add Server').first();
  await press(page, from);
  await page.getByRole('dialog').getByLabel('Name').fill('EU 3x');
  await page.keyboard.press('Enter');
  await has(page, button(page, 'Copy key'));
  await press(page, inDialog(page, 'Done'));
  await closed(page);
  await has(page, from);
  await leave();
});

test('a regenerated key is shown with the focus on Copy, and Done leads back', async () => {
  const { page, leave } = await on.visit('/orgs/o1/servers/s1');
  await press(page, button(page, 'Regenerate'));
  await press(page, inDialog(page, 'Regenerate'));
  await has(page, button(page, 'Copy key'));
  await press(page, inDialog(page, 'Done'));
  await closed(page);
  await has(page, button(page, 'Regenerate'));
  await leave();
});

test('a new custom key is shown with the focus on Copy, and Done leads back', async () => {
  const { page, leave } = await on.visit('/orgs/o1/keys');
  await press(page, button(page, 'Create key'));
  await page.getByRole('dialog').getByLabel('Name').fill('Panel');
  await page.getByRole('checkbox', { name: 'count', exact: true }).check();
  await press(page, inDialog(page, 'Create key'));
  await has(page, button(page, 'Copy key'));
  await press(page, inDialog(page, 'Done'));
  await closed(page);
  await has(page, button(page, 'Create key'));
  await leave();
});

test('a new invite and a re-issued one lead back to their buttons', async () => {
  const { page, leave } = await on.visit('/orgs/o1/team?tab=invites');
  await press(page, button(page, 'Create invite'));
  await press(page, inDialog(page, 'Create invite'));
  await holdsFocus(page.getByRole('dialog', { name: 'Invite link', exact: true }));
  await press(page, inDialog(page, 'Done'));
  await closed(page);
  await has(page, button(page, 'Create invite'));
  const again = button(page, 'Re-issue').first();
  await press(page, again);
  await press(page, inDialog(page, 'Re-issue'));
  await holdsFocus(page.getByRole('dialog', { name: 'New invite link', exact: true }));
  await press(page, inDialog(page, 'Done'));
  await closed(page);
  await has(page, again);
  await leave();
});

const server = READS['/orgs/o1/servers/s1'];
const keys = READS['/orgs/o1/keys'];
const invites = READS['/orgs/o1/invites'];
const team = READS['/orgs/o1/team'];
const sessions = READS['/account/sessions'];
const [website, oldPanel] = keys.keys;

// What goes with the button that was pressed: [what, path, the button, its answer, what is read then, who gets the focus]
for (const [what, path, name, confirm, read, then, next] of [
  ['a revoked key', '/orgs/o1/servers/s1', 'Revoke', 'Revoke', '/orgs/o1/servers/s1', { ...server, key: { ...server.key, revoked: true } }, 'Regenerate'],
  ['a deactivated Server', '/orgs/o1/servers/s1', 'Deactivate', 'Deactivate', '/orgs/o1/servers/s1', { ...server, active: false }, 'Activate'],
  ['a revoked custom key', '/orgs/o1/keys', 'Revoke Website', 'Revoke', '/orgs/o1/keys', { ...keys, keys: [{ ...website, revoked: true }, oldPanel] }, 'Remove Website'],
  ['a removed custom key', '/orgs/o1/keys', 'Remove Old panel', 'Remove', '/orgs/o1/keys', { ...keys, keys: [website] }, 'Edit Website'],
  ['a revoked invite', '/orgs/o1/team?tab=invites', 'Revoke', 'Revoke', '/orgs/o1/invites', { invites: [{ ...invites.invites[0], revoked: true, url: null }, ...invites.invites.slice(1)] }, 'Re-issue'],
  ['a removed member', '/orgs/o1/team', 'Remove iven', 'Remove', '/orgs/o1/team', { ...team, members: team.members.filter((one) => one.name !== 'iven') }, 'Copy Discord ID of ruta_k'],
  ['a session that was ended', '/account', 'End session on Safari on iPhone', null, '/account/sessions', { sessions: sessions.sessions.filter((one) => one.id !== 'x2') }, 'End session on Unknown device'],
  ['all other sessions', '/account', 'End all others', 'End all others', '/account/sessions', { sessions: sessions.sessions.slice(0, 1) }, (page) => page.getByRole('main').getByRole('link', { name: 'Rustlands' }).first()],
]) {
  test(`after ${what} the focus goes to what is next to it`, async () => {
    const { page, leave } = await on.visit(path);
    await button(page, name).first().focus();
    await page.route('**/api/**', (route) => route.fallback());
    if (confirm) {
      await page.keyboard.press('Enter');
      await inDialog(page, confirm).waitFor();
      await answer(page, read, then);
      await press(page, inDialog(page, confirm));
      await closed(page);
    } else {
      await answer(page, read, then);
      await page.keyboard.press('Enter');
    }
    await has(page, typeof next === 'string' ? button(page, next).first() : next(page));
    await leave();
  });
}

test('a role is changed from its menu and the focus comes back to it', async () => {
  const { page, leave } = await on.visit('/orgs/o1/team');
  const role = button(page, 'Role of iven:', false);
  await press(page, role);
  await press(page, page.getByRole('menuitemcheckbox', { name: 'Staff' }));
  await opened(page);
  await page.keyboard.press('Escape');
  await closed(page);
  await has(page, role);
  await leave();
});

test('what leads to another page leaves the focus on its heading', async () => {
  for (const [path, name, typed] of [['/orgs/o1/servers/s1', 'Delete Server', 'EU Main 2x'], ['/orgs/o1/guilds/g1', 'Remove Guild', 'rustlands'], ['/orgs/o1/settings', 'Delete', 'rustlands']]) {
    const { page, leave } = await on.visit(path);
    await press(page, page.getByRole('main').getByRole('button', { name, exact: true }));
    await page.getByRole('dialog').getByLabel(/^Type/).fill(typed);
    await press(page, inDialog(page, name));
    await closed(page);
    await page.waitForURL((url) => !url.pathname.endsWith(path));
    await has(page, page.getByRole('heading', { level: 1 }));
    await leave();
  }
});

test('a sign-in that is asked for again and called off leads back to what asked for it', async () => {
  const { page, leave } = await on.visit('/orgs/o1/settings', { world: 'again' });
  const from = page.getByRole('main').getByRole('button', { name: 'Delete', exact: true });
  await press(page, from);
  await page.getByLabel('Type rustlands to confirm').fill('rustlands');
  await press(page, inDialog(page, 'Delete'));
  const asked = page.getByRole('dialog', { name: 'Sign in again', exact: true });
  await holdsFocus(asked);
  await press(page, asked.getByRole('button', { name: 'Cancel', exact: true }));
  await closed(page);
  await has(page, from);
  await leave();
});

test('a claimed Discord server leaves the focus on what to do next', async () => {
  const { page, leave } = await on.visit('/orgs/o1/guilds/new');
  await page.getByLabel('Rustlands Events').check();
  await press(page, button(page, 'Add Guild'));
  await has(page, page.getByRole('link', { name: 'Open settings' }));
  await leave();
});

test('a server without the bot leaves the focus on the way to add it', async () => {
  const { page, leave } = await on.visit('/orgs/o1/guilds/new');
  const refusal = { status: 409, code: 'BOT_ABSENT', message: 'The bot is not in this server.', request_id: 'r', invite_url: 'https://discord.com/oauth2/authorize?client_id=1' };
  await page.route('**/api/orgs/o1/guilds', (route) => route.fulfill({ status: 409, json: refusal }));
  await page.getByLabel('Rustlands Events').check();
  await press(page, button(page, 'Add Guild'));
  await has(page, page.getByRole('link', { name: 'Add the bot' }));
  await leave();
});

test('saved and reset forms leave the focus on the field it was in', async () => {
  const { page, leave } = await on.visit('/orgs/o1/guilds/g1');
  const name = page.getByLabel('Name', { exact: true });
  for (const way of ['Save', 'Reset']) {
    await name.fill(`Rustlands ${way}`);
    await press(page, button(page, way));
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
    await has(page, name);
  }
  await leave();
});

test('the palette, the menu of a phone and a dismissed note give the focus back', async () => {
  const desk = await on.visit('/orgs/o1');
  const search = desk.page.getByRole('button', { name: 'Search' });
  await press(desk.page, search);
  await opened(desk.page);
  await desk.page.getByRole('option').first().waitFor();
  await desk.page.keyboard.press('Escape');
  await closed(desk.page);
  await has(desk.page, search);
  await desk.leave();

  const phone = await on.visit('/orgs/o1', { width: 375 });
  const menu = phone.page.getByRole('button', { name: 'Open menu' });
  await press(phone.page, menu);
  await holdsFocus(phone.page.getByRole('dialog', { name: 'Menu', exact: true }));
  await phone.page.keyboard.press('Escape');
  await closed(phone.page);
  await has(phone.page, menu);
  await phone.leave();

  const account = await on.visit('/account', { notes: true });
  const end = button(account.page, 'End session on Unknown device');
  await press(account.page, end);
  await press(account.page, button(account.page, 'Dismiss'));
  await has(account.page, end);
  await account.leave();
});
