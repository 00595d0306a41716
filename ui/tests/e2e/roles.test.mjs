// Rules for roles and groups, their history, and the checks of everyone. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';
import { READS } from '../fixtures.mjs';
import { dryRun, recheck, rechecking, ROLE, roleHistory, roleRules } from '../fixtures-roles.mjs';
import { wrongWith } from '../screens.mjs';

const RULES = '/orgs/o1/servers/s1/roles';
const HISTORY = '/orgs/o1/guilds/g1/role-history';
const CHECKS = '/orgs/o1/guilds/g1/role-recheck';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const rule = (page, place) => page.getByRole('group', { name: `Rule ${place}`, exact: true });
const group = (page, place) => rule(page, place).getByRole('combobox', { name: 'Group', exact: true });
const review = (page) => page.getByRole('button', { name: 'Review changes', exact: true });
const dialog = (page) => page.getByRole('dialog', { name: 'Review changes' });
const unsaved = (page) => page.getByText('You have unsaved changes.');
const told = (page, place) => rule(page, place).locator('.told');
const focused = (locator) => locator.evaluate((element) => element === document.activeElement || element.contains(document.activeElement));
const fail = (route, status, code, message, extra = {}) => route.fulfill({ status, json: { status, code, message, request_id: 'req_1', ...extra } });
const asked = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);
/** Makes the one small change that the tests save. */
const keepOnLoss = (page) => rule(page, 1).getByLabel('When someone leaves the group').selectOption('keep');
async function looked(page) {
  await review(page).click();
  await dialog(page).getByText('Would add', { exact: true }).waitFor();
}
async function saved(page) {
  const sent = asked(page, 'PUT', RULES);
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  return (await sent).postDataJSON();
}

test('each rule says in a sentence what it does, and follows what is chosen', async () => {
  const { page, leave } = await on.visit(RULES);
  assert.equal(await told(page, 1).innerText(), 'Everyone in vip on EU Main 2x gets VIP on Discord. Anyone who leaves vip loses VIP.');
  assert.match(await told(page, 2).innerText(), /^Everyone with Server Booster on Discord is put in booster on EU Main 2x\. .* stays in booster\.$/);
  assert.equal(await rule(page, 1).getByLabel('If the two differ').count(), 0);
  await rule(page, 1).getByLabel('Direction').selectOption('both');
  await rule(page, 1).getByLabel('If the two differ').selectOption('game');
  await told(page, 1).getByText('the game server decides.').waitFor();
  await unsaved(page).waitFor();
  await rule(page, 4).getByText('drag the bot’s role above Owner.').waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await unsaved(page).waitFor({ state: 'detached' });
  assert.match(await told(page, 1).innerText(), /loses VIP\.$/);
  await leave();
});

test('a save leads through what it would change, and sends all rules on top of what was read', async () => {
  const { page, leave } = await on.visit(RULES);
  await keepOnLoss(page);
  const dry = asked(page, 'POST', `${RULES}/dry-run`);
  await review(page).click();
  assert.equal((await dry).postDataJSON().rules[0].on_loss, 'keep');
  const box = dialog(page);
  await box.getByText('12 players of 1,000 haven’t been looked at yet').waitFor();
  assert.deepEqual(await box.locator('dd').allInnerTexts(), ['214', '9', '3']);
  assert.equal(await box.getByText(/drag the bot’s role above Owner/).count(), 1, 'a reason is told once');
  const rows = box.locator('tbody tr');
  assert.equal(await rows.count(), dryRun.changes.length);
  assert.match(await rows.first().innerText(), /Add Owner on Discord[^]*Can’t be done/, 'what cannot be done comes first');
  await box.getByText('Only the first 19 are listed.').waitFor();
  const fresh = { ...roleRules, revision: 4, rules: roleRules.rules.map((one, at) => (at ? one : { ...one, on_loss: 'keep' })) };
  await page.route(`**/api${RULES}`, (route) => route.fulfill({ json: fresh }));
  const body = await saved(page);
  assert.equal(body.revision, 3);
  assert.deepEqual(body.confirmed_roles, []);
  assert.deepEqual(body.rules, fresh.rules);
  await box.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Notes' }).getByText('Saved').waitFor();
  await unsaved(page).waitFor({ state: 'detached' });
  assert.match(await told(page, 1).innerText(), /keeps VIP\.$/);
  await leave();
});

test('a rule is added with a group of its own, moved up and removed, and the focus stays with it', async () => {
  const { page, leave } = await on.visit(RULES);
  await page.getByRole('button', { name: 'Add rule' }).click();
  const added = group(page, 5);
  await added.waitFor();
  assert.ok(await focused(added));
  await added.fill('winter_guests');
  await page.getByText('The plugin hasn’t reported a group like this.').waitFor();
  await page.keyboard.press('Tab');
  await rule(page, 5).getByRole('combobox', { name: 'Discord role' }).fill('cafe');
  await page.keyboard.press('Enter');
  await told(page, 5).getByText('Café regular').first().waitFor();
  await page.getByRole('button', { name: 'Move rule 5 up' }).click();
  await told(page, 4).getByText('winter_guests').first().waitFor();
  await rule(page, 1).getByRole('button', { name: 'Remove rule 1' }).click();
  await rule(page, 5).waitFor({ state: 'detached' });
  assert.ok(await focused(group(page, 1)));
  await looked(page);
  const { rules } = await saved(page);
  assert.deepEqual(rules.map(({ id, group }) => [id, group]), [['map_2', 'booster'], ['map_3', 'supporter'], [undefined, 'winter_guests'], ['map_4', 'founder']]);
  assert.equal(rules[2].role_id, ROLE('014'));
  await leave();
});

test('what is missing is told at its field, and nothing is looked at', async () => {
  const { page, leave } = await on.visit(RULES);
  await page.getByRole('button', { name: 'Add rule' }).click();
  await rule(page, 5).waitFor();
  let dry = 0;
  page.on('request', (request) => (dry += request.url().endsWith('/dry-run') ? 1 : 0));
  await review(page).click();
  await rule(page, 5).getByText('Choose a role.').waitFor();
  assert.ok(await focused(group(page, 5)));
  assert.equal(dry, 0);
  assert.equal(await dialog(page).count(), 0);
  await leave();
});

test('only the Owner can allow a powerful role, after a dialog that says what it means', async () => {
  const owner = await on.visit(RULES);
  const ask = owner.page.getByRole('dialog', { name: 'Allow Moderator?' });
  const choose = async () => {
    await rule(owner.page, 1).getByLabel('Discord role').click();
    await owner.page.getByRole('option', { name: 'Moderator' }).click();
    await ask.getByText('This rule gives it to everyone in vip on EU Main 2x').waitFor();
  };
  await choose();
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'detached' });
  assert.equal(await rule(owner.page, 1).getByLabel('Discord role').inputValue(), 'VIP');
  assert.equal(await unsaved(owner.page).count(), 0);
  await choose();
  await ask.getByRole('button', { name: 'Allow' }).click();
  await rule(owner.page, 1).getByText('You allow Moderator with this save.').waitFor();
  await looked(owner.page);
  const body = await saved(owner.page);
  assert.deepEqual(body.confirmed_roles, [ROLE('016')]);
  assert.equal(body.rules[0].role_id, ROLE('016'));
  await owner.leave();

  const { page, leave } = await on.visit(RULES, { world: 'admin' });
  await rule(page, 1).getByLabel('Discord role').click();
  const option = page.getByRole('option', { name: 'Moderator' });
  await option.getByText('Only the Owner can allow it.').waitFor();
  assert.equal(await option.getAttribute('aria-disabled'), 'true');
  await option.click({ force: true });
  assert.equal(await page.getByRole('dialog').count(), 0);
  await leave();
});

test('a stale revision shows what somebody else saved, keeps the draft, and goes through the look again', async () => {
  const { page, leave } = await on.visit(RULES);
  await keepOnLoss(page);
  await looked(page);
  const theirs = { ...roleRules, revision: 4, rules: roleRules.rules.map((one, at) => (at === 1 ? { ...one, group: 'nitro' } : one)) };
  await page.route(`**/api${RULES}`, (route) =>
    route.request().method() === 'PUT' ? fail(route, 409, 'CHANGED_MEANWHILE', 'Someone saved in the meantime.') : route.fulfill({ json: theirs }),
  );
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  const conflict = page.getByRole('region', { name: 'Changed while you were editing' });
  await conflict.getByText('nitro').first().waitFor();
  await dialog(page).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.textContent.includes('Changed while you were editing'));
  assert.match(await told(page, 1).innerText(), /keeps VIP\.$/);
  await page.unroute(`**/api${RULES}`);
  await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
  await dialog(page).getByText('Would add', { exact: true }).waitFor();
  const body = await saved(page);
  assert.equal(body.revision, 4);
  assert.equal(body.rules[0].on_loss, 'keep');
  await leave();
});

test('rules that clash are marked, and a failure of the look can be tried again', async () => {
  const { page, leave } = await on.visit(RULES);
  await keepOnLoss(page);
  await page.route(`**/api${RULES}/dry-run`, (route) => fail(route, 500, 'INTERNAL', 'Something broke on our side.'));
  await review(page).click();
  await dialog(page).getByText('Something broke on our side.').waitFor();
  assert.ok(await dialog(page).getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await page.unroute(`**/api${RULES}/dry-run`);
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await dialog(page).getByText('Would add', { exact: true }).waitFor();
  await page.route(`**/api${RULES}`, (route) => (route.request().method() === 'PUT' ? fail(route, 400, 'MAPPING_RING', 'Two rules feed each other.', { row: 2 }) : route.continue()));
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await rule(page, 3).getByText('Goes round in a circle with other rules').waitFor();
  await page.getByText('Two rules feed each other.').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  assert.ok(await unsaved(page).isVisible());
  await leave();
});

test('a draft outlives a sign-in', async () => {
  const { page } = await on.visit(RULES);
  await keepOnLoss(page);
  await looked(page);
  await page.route(`**/api${RULES}`, (route) => (route.request().method() === 'PUT' ? fail(route, 401, 'SIGN_IN_REQUIRED', 'Sign in.') : route.continue()));
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  const link = page.getByRole('dialog').getByRole('link', { name: /Sign in/ });
  await link.waitFor();
  await page.route('**/auth/discord/login**', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Discord</h1>' }));
  await link.click();
  await page.getByRole('heading', { name: 'Discord' }).waitFor();
  await page.unroute(`**/api${RULES}`);
  await on.goto(page, RULES);
  await told(page, 1).getByText('keeps').waitFor();
  await unsaved(page).waitFor();
  await page.context().close();
});

test('without rules the page says what they do, and without the bot ids are pasted', async () => {
  const none = await on.visit(RULES, { world: 'fresh' });
  await none.page.getByText('A rule ties one permission group on').waitFor();
  await none.page.getByRole('button', { name: 'Add rule' }).click();
  await rule(none.page, 1).waitFor();
  await none.leave();
  const { page, leave } = await on.visit(RULES, { world: 'kicked' });
  await page.getByText('The bot isn’t in the Discord server').waitFor();
  assert.equal(await rule(page, 1).getByLabel('Discord role').inputValue(), ROLE('003'));
  await rule(page, 1).getByText('This is VIP.').waitFor();
  await leave();
});

test('the Server and the Guild lead to these pages, for those who may', async () => {
  const { page, leave, heading } = await on.visit('/orgs/o1/servers/s1');
  await page.getByRole('link', { name: 'Edit rules' }).click();
  await heading('Roles and groups');
  await page.getByRole('link', { name: 'Role history' }).click();
  await heading('Role history');
  await page.getByRole('link', { name: 'Rustlands', exact: true }).click();
  await heading('Rustlands');
  await page.getByRole('link', { name: 'Role history' }).click();
  await heading('Role history');
  await on.goto(page, '/orgs/o2/servers/s1/roles');
  await page.getByText('You need the permission “Map roles”').waitFor();
  await leave();
});

test('the history tells what, by which rule, on which trigger and how it ended, with the fix', async () => {
  const { page, leave } = await on.visit(HISTORY);
  const row = (at) => page.locator('tbody tr').nth(at).innerText().then((text) => text.replace(/\s+/g, ' '));
  assert.match(await row(1), /Remove VIP on Discord with →\s*then without/);
  assert.match(await row(1), /vip → VIP Changed on Discord Done/);
  assert.match(await row(2), /Add booster on EU Main 2x .* Pending Until the plugin on EU Main 2x fetches it\./);
  assert.match(await row(3), /Not possible The bot’s role is too low\..* drag the bot’s role above Owner\./);
  assert.match(await row(5), /Set the nickname unknown → .*Nickname template Linked Not possible/);
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
  const { page, leave } = await on.visit('/orgs/o1/guilds/g1');
  const card = page.getByRole('region', { name: 'Role checks' });
  await card.getByText('17 players pending').waitFor();
  let now = rechecking;
  await page.route(`**/api${CHECKS}`, (route) => {
    if (route.request().method() === 'DELETE') now = recheck;
    return route.fulfill({ json: now });
  });
  await card.getByRole('button', { name: 'Re-check everyone' }).click();
  await card.getByText('120 of 1,000 players checked').waitFor();
  now = { running: { ...rechecking.running, done: 640 }, waiting: 360 };
  await card.getByText('640 of 1,000 players checked').waitFor();
  const sent = asked(page, 'DELETE', CHECKS);
  await card.getByRole('button', { name: 'Cancel' }).click();
  await sent;
  await card.getByText('Cancelled. Players who were checked stay checked.').waitFor();
  assert.ok(await focused(card.getByRole('button', { name: 'Re-check everyone' })));
  now = rechecking;
  await card.getByRole('button', { name: 'Re-check everyone' }).click();
  await card.getByText('120 of 1,000 players checked').waitFor();
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
    test(`axe finds nothing on these pages, at ${width}, ${colorScheme}`, async () => {
      const { page, leave } = await on.visit(RULES, { width, colorScheme });
      assert.deepEqual(await wrongWith(page), []);
      await keepOnLoss(page);
      await looked(page);
      assert.deepEqual(await wrongWith(page), []);
      const save = await dialog(page).getByRole('button', { name: 'Save', exact: true }).boundingBox();
      assert.ok(save.x >= 0 && save.x + save.width <= width && save.y + save.height <= 800, JSON.stringify(save));
      await leave();
      const history = await on.visit(HISTORY, { width, colorScheme });
      assert.deepEqual(await wrongWith(history.page), []);
      await history.leave();
    });
  }
}
