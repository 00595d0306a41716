// The history of roles and groups, the checks of everyone, and nicknames. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';
import { READS } from '../fixtures.mjs';
import { recheck, rechecking, roleHistory } from '../fixtures-roles.mjs';
import { wrongWith } from '../screens.mjs';

const HISTORY = '/orgs/o1/guilds/g1/role-history';
const CHECKS = '/orgs/o1/guilds/g1/role-recheck';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const focused = (locator) => locator.evaluate((element) => element === document.activeElement || element.contains(document.activeElement));
const asked = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);

test('the history tells what, by which rule, on which trigger and how it ended, with the fix', async () => {
  const { page, leave } = await on.visit(HISTORY);
  const row = (at) => page.locator('tbody tr').nth(at).innerText().then((text) => text.replace(/\s+/g, ' '));
  assert.match(await row(1), /Removed VIP on Discord Had it →\s*then doesn’t have it/);
  assert.match(await row(1), /vip → VIP Changed on Discord Done/);
  assert.match(await row(2), /Add booster on EU Main 2x Doesn’t have it yet .* Pending Until the plugin on EU Main 2x fetches and confirms it\./);
  assert.match(await row(3), /Add Owner on Discord Still doesn’t have it .* Can’t be done The bot’s role is too low\..* drag the bot’s role above Owner\./);
  assert.match(await row(5), /Granted by a plugin A plugin or bot asked for it Can’t be done Discord refused it\./);
  const next = page.waitForRequest((request) => request.url().includes('cursor=c1'));
  await page.route(`**/api${HISTORY}?*`, (route) => route.fulfill({ json: { entries: [{ ...roleHistory.entries[0], id: 'older' }, roleHistory.entries.at(-1)], next: null } }));
  await page.getByRole('button', { name: 'Show more' }).click();
  await next;
  await page.getByText(`${roleHistory.entries.length + 1} changes in total`).waitFor();
  assert.equal(await page.locator('tbody tr').count(), roleHistory.entries.length + 1, 'an entry of both pages is listed once');
  await leave();
});

test('one search tells why a person lost a role', async () => {
  const { page, leave } = await on.visit(HISTORY);
  const who = '204255221017214971';
  const field = page.getByLabel('Player');
  await field.fill('ashfox');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByText('Enter a Discord or Steam ID.').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await page.route(`**/api${HISTORY}?member=${who}`, (route) => route.fulfill({ json: { entries: [roleHistory.entries[1]], next: null } }));
  await field.fill(`<@${who}>`);
  await page.keyboard.press('Enter');
  await page.getByText('1 change in total').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('member'), who);
  assert.equal(await field.inputValue(), who);
  await page.getByRole('button', { name: 'Show everyone' }).click();
  await page.getByText(`Newest ${roleHistory.entries.length} changes`).waitFor();
  await page.route(`**/api${HISTORY}?member=*`, (route) => route.fulfill({ json: { entries: [], next: null } }));
  await page.getByRole('link', { name: /Steam ID/ }).first().click();
  await page.getByRole('heading', { name: /^No changes for 7656/ }).waitFor();
  await leave();
});

test('everyone is re-checked, with progress, and it can be cancelled', async () => {
  const { page, leave } = await on.visit('/orgs/o1/roles');
  const card = page.getByRole('region', { name: /^Role checks of Rustlands$/ });
  await card.getByText('17 players pending').waitFor();
  let now = rechecking;
  await page.route(`**/api${CHECKS}`, (route) => {
    if (route.request().method() === 'DELETE') now = recheck;
    return route.fulfill({ json: now });
  });
  await card.getByRole('button', { name: 'Re-check everyone' }).click();
  await card.getByText('120 of 1,000 players checked').waitFor();
  now = { running: { ...rechecking.running, done: 1_000 }, waiting: 360 };
  await card.getByText('640 of 1,000 players checked').waitFor();
  const sent = asked(page, 'DELETE', CHECKS);
  await card.getByRole('button', { name: 'Cancel' }).click();
  await sent;
  await card.getByText('Cancelled. Players who are pending are still checked.').waitFor();
  assert.ok(await focused(card.getByRole('button', { name: 'Re-check everyone' })));
  now = rechecking;
  await card.getByRole('button', { name: 'Re-check everyone' }).click();
  await card.getByText('120 of 1,000 players checked').waitFor();
  now = { running: null, waiting: 200 };
  await card.getByText('800 of 1,000 players checked').waitFor();
  assert.equal(await card.getByRole('button', { name: 'Cancel' }).count(), 0, 'whoever is pending is checked');
  assert.equal(await card.getByText('Checked everyone.').count(), 0);
  now = { running: null, waiting: 0 };
  await card.getByText('Checked everyone.').waitFor();
  await card.getByText('Nobody pending').waitFor();
  await leave();
});

test('a nickname template shows what someone would be called, and is switched off by clearing it', async () => {
  const { page, leave } = await on.visit('/orgs/o1/guilds/g1');
  const field = page.getByRole('textbox', { name: /^Nickname/ });
  assert.equal(await field.inputValue(), '', 'nobody is renamed unasked');
  await field.fill('{steam} | {discord}');
  await page.getByText('Ash Byte | ashfox12').waitFor();
  await field.fill('{country}');
  await page.getByText('Use {steam} or {discord}, or everyone would be called the same.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await field.fill('[RL] {steam}');
  await page.getByText('[RL] Ash Byte').waitFor();
  const sent = asked(page, 'PATCH', '/orgs/o1/guilds/g1');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  assert.deepEqual((await sent).postDataJSON(), { nickname_template: '[RL] {steam}', revision: 1 });
  await leave();
  const set = await on.page();
  await set.route('**/api/orgs/o1/guilds/g1', (route) => (route.request().method() === 'GET' ? route.fulfill({ json: { ...READS['/orgs/o1/guilds/g1'], nickname_template: '{steam}' } }) : route.continue()));
  await on.goto(set, '/orgs/o1/guilds/g1');
  await set.getByText('becomes Ash Byte').waitFor();
  await set.getByRole('textbox', { name: /^Nickname/ }).fill('');
  const cleared = asked(set, 'PATCH', '/orgs/o1/guilds/g1');
  await set.getByRole('button', { name: 'Save', exact: true }).click();
  assert.deepEqual((await cleared).postDataJSON(), { nickname_template: null, revision: 1 });
  await set.context().close();
});

for (const width of [1280, 375]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing on the history, at ${width}, ${colorScheme}`, async () => {
      const { page, leave } = await on.visit(HISTORY, { width, colorScheme });
      assert.deepEqual(await wrongWith(page), []);
      await leave();
    });
  }
}
