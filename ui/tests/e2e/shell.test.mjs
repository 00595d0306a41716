// The parts of the dashboard that every page relies on, in a real browser on made-up data. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrived, becomes, holdsFocus, rest, settled } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
let visit;
before(async () => {
  on = await open();
  visit = on.visit;
});
after(() => on.close());

test('a link changes the page without loading: title, focus and scroll follow, and back comes back', async () => {
  const { page, heading, focusedOn, leave } = await visit('/orgs/o1');
  await page.evaluate(() => (globalThis.same = true));
  await page.setViewportSize({ width: 1280, height: 600 });
  const top = await page.evaluate(() => {
    scrollTo(0, 150);
    return scrollY;
  });
  assert.ok(top > 50);
  // Pressed by the page itself: Playwright would scroll to reach the link.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).evaluate((link) => link.click());
  await heading('Settings');
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  await focusedOn('Settings');
  await becomes(() => page.title(), 'Settings · Symbolon');
  await becomes(() => page.evaluate(() => scrollY), 0);
  assert.equal(await page.evaluate(() => globalThis.same), true);
  await page.goBack();
  await heading('Rustlands');
  await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 2, top);
  await leave();
});

test('unsaved changes hold back links, the back button and the palette until they are reset', async () => {
  const { page, heading, leave } = await visit('/orgs/o1');
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Settings' }).click();
  await heading('Settings');
  await page.getByLabel('Name', { exact: true }).fill('Rustlands EU');
  await main.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('alert').filter({ hasText: 'Save or reset your changes before you leave.' }).waitFor();
  assert.match(page.url(), /settings$/);
  await page.goBack();
  await page.waitForURL(/settings$/);
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Rustlands EU');
  await page.getByRole('button', { name: 'Reset' }).click();
  await main.getByRole('link', { name: 'Overview' }).click();
  await heading('Rustlands');
  await leave();
});

test('saving says so and lets go', async () => {
  const { page, leave } = await visit('/orgs/o1/settings');
  await page.getByRole('switch', { name: 'Refuse keys in URLs' }).click();
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  assert.deepEqual(sent.postDataJSON(), { refuse_query_keys: true, revision: 1 });
  await page.getByText('Saved settings').waitFor();
  await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  await leave();
});

/** Opens the palette and types into it, once it has the keyboard. */
async function search(page, words) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type(words);
}

/** Runs what was found, once it is what Enter would run. */
async function run(page, name) {
  await page.getByRole('option', { name, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('the palette finds a page and a server by keyboard, and gives the focus back', async () => {
  const { page, heading, leave } = await visit('/orgs/o1');
  await search(page, 'audit');
  await run(page, 'Audit log');
  await heading('Audit log');
  await search(page, 'eu main');
  await run(page, 'EU Main 2x');
  await page.waitForURL(/servers\/s1$/);
  await search(page, 'zzz');
  await page.getByRole('option', { name: 'Search users for “zzz”', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The page behind can be used again, shortly after.
  await page.waitForFunction(() => document.body.style.overflow + document.body.style.pointerEvents === '');
  await leave();
  const viewer = await visit('/orgs/o1', { world: 'viewer' });
  await search(viewer.page, 'zzz');
  await viewer.page.getByText('No match.').waitFor();
  await viewer.leave();
});

test('switching the organisation keeps the page, unless it is not allowed there', async () => {
  const { page, heading, leave } = await visit('/orgs/o1/servers');
  const change = async (to) => {
    await page.getByRole('button', { name: 'Switch organisation' }).click();
    await page.getByRole('menuitemcheckbox', { name: to }).click();
  };
  await change(/Arcadia/);
  await page.waitForURL(/orgs\/o2\/servers$/);
  await change('Rustlands');
  await page.waitForURL(/orgs\/o1\/servers$/);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click();
  await heading('Audit log');
  await change(/Arcadia/);
  await page.waitForURL(/orgs\/o2$/);
  await leave();
});

test('a menu that is still on its way opens when it is there, by mouse and by keyboard', async () => {
  const { page, heading, leave } = await visit('/orgs/o1');
  for (const press of [(button) => button.click(), (button) => button.press('Enter'), (button) => button.press('ArrowDown')]) {
    let arrive;
    const held = new Promise((resolve) => (arrive = resolve));
    const asked = page.waitForRequest(/layers-/);
    await page.route(/layers-/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await heading('Rustlands');
    const button = page.getByRole('button', { name: 'Account and theme' });
    assert.equal(await button.getAttribute('aria-haspopup'), 'menu');
    await press(button);
    await asked;
    assert.equal(await page.getByRole('menu').count(), 0);
    arrive();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await holdsFocus(page.getByRole('menu'));
    await becomes(() => button.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('account'));
    await becomes(() => button.getAttribute('aria-expanded'), 'false');
    await page.unroute(/layers-/);
  }
  await leave();
});

test('a menu that arrives in the middle of a press opens with it', async () => {
  const { page, heading, leave } = await visit('/orgs/o1');
  let arrive;
  const held = new Promise((resolve) => (arrive = resolve));
  await page.route(/layers-/, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await heading('Rustlands');
  const button = page.getByRole('button', { name: 'Account and theme' });
  await button.hover();
  await page.mouse.down();
  arrive();
  await page.locator('.account[data-dropdown-menu-trigger]').waitFor();
  await page.mouse.up();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  await leave();
});

test('on a phone the menu is a drawer that closes on arrival', async () => {
  const { page, heading, leave } = await visit('/orgs/o1', { width: 375 });
  await page.getByRole('button', { name: 'Open menu' }).click();
  const drawer = page.getByRole('dialog', { name: 'Menu' });
  await drawer.getByRole('link', { name: 'Settings' }).click();
  await heading('Settings');
  await drawer.waitFor({ state: 'detached' });
  await leave();
});

test('deleting asks for the short name first, with the focus on Cancel', async () => {
  const { page, focusedOn, leave } = await visit('/orgs/o1/settings');
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Rustlands' });
  await dialog.waitFor();
  await focusedOn('Cancel');
  assert.equal(await dialog.getByRole('button', { name: 'Delete' }).isDisabled(), true);
  await dialog.getByLabel('Type rustlands to confirm').fill('rustlands');
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'DELETE'),
    page.getByText('Deleted Rustlands').waitFor(),
    dialog.getByRole('button', { name: 'Delete' }).click(),
  ]);
  assert.deepEqual(sent.postDataJSON(), { confirm: 'rustlands' });
  await page.waitForURL(/\/app\/?$/);
  await leave();
});

test('a sign-in that is too old is asked for again, and comes back here', async () => {
  const { page, leave } = await visit('/orgs/o1/settings', { world: 'again' });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByLabel('Type rustlands to confirm').fill('rustlands');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const link = page.getByRole('dialog', { name: 'Sign in again' }).getByRole('link', { name: 'Sign in again' });
  assert.equal(await link.getAttribute('href'), '/auth/discord/login?return_to=%2Fapp%2Forgs%2Fo1%2Fsettings&again=1');
  await leave();
});

test('the maintenance card goes when maintenance is over', async () => {
  const { page, heading, leave } = await visit('/', { world: 'maintenance' });
  await page.getByText('Back at about 14:00 UTC.').waitFor();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Check now' }).click();
  await heading('Your organisations');
  await leave();
});

test('a page whose file is gone offers to reload', async () => {
  const { page, leave } = await visit('/orgs/o1');
  await page.route('**/assets/Settings-*.js', (route) => route.fulfill({ status: 404 }));
  await page.route('**/app/', (route) => route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/app/assets/index-newer.js"></script>' }));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
  await page.getByText('A new version is available.').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Reload' }).waitFor();
  await leave();
});

test('a page that does not come because the network is away is no new version, and comes with another try', async () => {
  const { page, heading, leave } = await visit('/orgs/o1');
  await page.route('**/app/**', (route) => route.abort());
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Couldn’t load part of the page.').waitFor();
  const again = page.getByRole('main').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  assert.equal(await page.getByText('A new version is available').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Reload' }).count(), 0);
  await page.unroute('**/app/**');
  await again.click();
  await heading('Settings');
  await leave();
});

/** Time passes, and somebody comes back to the tab: what is on it is read again. */
async function comeBack(page) {
  await page.clock.runFor(11_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
}

test('maintenance in the middle of something is heard', async () => {
  const { page, focusedOn, leave } = await visit('/orgs/o1/settings', { clock: true });
  await page.getByLabel('Name').fill('Half typed');
  await page.route('**/api/**', (route) => route.fulfill({ status: 503, json: { status: 503, code: 'MAINTENANCE', message: 'Back at noon.' } }));
  await comeBack(page);
  await page.getByText('Back at noon.').waitFor();
  await focusedOn('Down for maintenance');
  await leave();
});

test('who is somebody else now is not asked whether to keep what another person typed', async () => {
  const { page, leave } = await visit('/orgs/o1/settings', { clock: true });
  const asked = [];
  page.on('dialog', (dialog) => (asked.push(dialog.type()), dialog.dismiss()));
  await page.getByLabel('Name').pressSequentially(' typed by another');
  await page.route('**/api/account', async (route) => {
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), id: 'usr_other' } });
  });
  const loaded = page.waitForEvent('load');
  await comeBack(page);
  await loaded;
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await arrived(page);
  assert.deepEqual(asked, []);
  assert.doesNotMatch(await page.getByLabel('Name').inputValue(), /typed by another/);
  await leave();
});

test('a key that was revoked while it was edited says so and keeps what was typed', async () => {
  const { page, leave } = await visit('/orgs/o1/keys', { clock: true });
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Half typed');
  await page.route('**/api/orgs/o1/keys', async (route) => {
    const answer = await route.fetch();
    const list = await answer.json();
    return route.fulfill({ response: answer, json: { ...list, keys: list.keys.map((key) => ({ ...key, revoked: true })) } });
  });
  await comeBack(page);
  await dialog.getByText('Someone revoked this key, so').waitFor();
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Half typed');
  await becomes(() => dialog.getByRole('button', { name: 'Save key' }).isDisabled(), true);
  await leave();
});

/** The colour of the first frame in which the page has one; until its styles are there, nothing is drawn. */
function noteGround() {
  requestAnimationFrame(function look() {
    const ground = document.body && getComputedStyle(document.body).backgroundColor;
    if (!ground || ground === 'rgba(0, 0, 0, 0)') requestAnimationFrame(look);
    else globalThis.ground = ground;
  });
}

test('the theme is chosen once and kept, before the first paint', async () => {
  const { page, leave } = await visit('/account');
  await page.getByRole('radio', { name: 'Dark' }).check();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await becomes(background, 'rgb(13, 16, 22)');
  await page.addInitScript(noteGround);
  await page.reload({ waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.ground);
  assert.equal(await page.evaluate(() => globalThis.ground), 'rgb(13, 16, 22)');
  await page.getByRole('radio', { name: 'System' }).check();
  await becomes(background, 'rgb(246, 247, 249)');
  await leave();
});

test('a new organisation gets its short name from its name, until somebody writes another', async () => {
  const { page, leave } = await visit('/new');
  const slug = page.getByLabel('Short name');
  await page.getByLabel('Name', { exact: true }).fill('Rust Lands!');
  await becomes(() => slug.inputValue(), 'rust-lands');
  await slug.fill('mine');
  await page.getByLabel('Name', { exact: true }).fill('Other');
  await settled(page);
  assert.equal(await slug.inputValue(), 'mine');
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST'),
    page.getByRole('button', { name: 'Create organisation' }).click(),
  ]);
  assert.deepEqual(sent.postDataJSON(), { name: 'Other', slug: 'mine' });
  await page.waitForURL(/orgs\/o1$/);
  await leave();
});

test('an operator finds the operator area, and what needs attention leads to the errors it is about', async () => {
  const { page, heading, leave } = await visit('/orgs/o1', { world: 'operating' });
  await page.getByRole('button', { name: 'Account and theme' }).click();
  await page.getByRole('menuitem', { name: 'Operator area' }).click();
  await heading('Operator area');
  await page.getByRole('listitem').filter({ hasText: 'requests failed in the last hour' }).getByRole('link', { name: 'View errors' }).click();
  await heading('Errors');
  await page.waitForURL(/admin\/errors\?status=faults$/);
  await page.getByRole('button', { name: 'Details of' }).first().click();
  await page.getByRole('dialog').getByText('discord.client_secret is wrong').waitFor();
  await holdsFocus(page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const [asked] = await Promise.all([
    page.waitForRequest((request) => request.url().includes('org=org_7')),
    page.getByLabel('Organisation ID').fill('org_7'),
  ]);
  assert.match(asked.url(), /status=faults/);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Your organisations' }).click();
  await heading('Your organisations');
  await leave();
});

test('to everybody else there is no operator area', async () => {
  for (const path of ['/admin', '/admin/errors']) {
    const [asked, findings] = [[], []];
    const page = await on.page({}, findings);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await on.goto(page, path);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitem', { name: 'Account' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Operator area' }).count(), 0);
    await rest(page);
    assert.deepEqual(asked.filter((path) => path.startsWith('/api/admin')), []);
    await page.context().close();
    assert.deepEqual(findings, []);
  }
});
