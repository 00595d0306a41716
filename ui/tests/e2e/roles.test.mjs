// Rules for roles and groups. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';
import { dryRun, ROLE, roleRules } from '../fixtures-roles.mjs';
import { wrongWith } from '../screens.mjs';

const RULES = '/orgs/o1/servers/s1/roles';

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
  await box.getByText('12 of 1,000 players haven’t been checked yet').waitFor();
  assert.deepEqual(await box.locator('dd').allInnerTexts(), ['214', '9', '3']);
  assert.equal(await box.getByText(/drag the bot’s role above Owner/).count(), 1, 'a reason is told once');
  const rows = box.locator('tbody tr');
  assert.equal(await rows.count(), dryRun.changes.length);
  assert.match(await rows.first().innerText(), /Add Owner on Discord[^]*Can’t be done/, 'what cannot be done comes first');
  await box.getByText('Only the first 19 changes are listed.').waitFor();
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
  await page.getByRole('button', { name: 'Remove rule 1', exact: true }).click();
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
  const dry = asked(owner.page, 'POST', `${RULES}/dry-run`);
  await looked(owner.page);
  assert.deepEqual((await dry).postDataJSON().confirmed_roles, [ROLE('016')], 'what is allowed with this save is counted as possible');
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
  await heading('Rules of EU Main 2x');
  const roles = page.getByRole('main').getByRole('link', { name: 'Roles', exact: true });
  await roles.click();
  await heading('Roles');
  await page.getByRole('link', { name: 'Role history of Rustlands', exact: true }).click();
  await heading('Role history');
  await page.getByText('given or taken in Rustlands').waitFor();
  await roles.click();
  await heading('Roles');
  await on.goto(page, '/orgs/o1/guilds/g1');
  await page.getByRole('link', { name: 'Role history' }).click();
  await heading('Role history');
  await on.goto(page, '/orgs/o2/servers/s1/roles');
  await page.getByText('You need the permission “Edit role rules”').waitFor();
  await leave();
});

test('who may edit rules and nothing else can work with them', async () => {
  const asked = new Set();
  const page = await on.page({ world: 'roles_only' });
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/orgs/')) asked.add(`${request.method()} ${pathname.slice(4)}`);
  });
  await on.goto(page, '/orgs/o1');
  await page.getByRole('heading', { level: 1, name: 'Roles', exact: true }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/app/orgs/o1/roles', 'the overview is not for them');
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count(), 1);
  assert.equal(await page.getByRole('link', { name: /Role history|Add Server/ }).count(), 0);
  const guild = page.getByRole('region', { name: 'Rustlands Modded', exact: true });
  assert.match(await guild.getByRole('listitem').nth(1).innerText(), /US Modded 5x\s+Inactive\s+No rules yet/);
  await page.getByRole('region', { name: /^Role checks of Rustlands$/ }).getByRole('button', { name: 'Re-check everyone' }).click();
  await page.getByText('120 of 1,000 players checked').waitFor();
  await page.getByRole('link', { name: 'Edit rules of EU Main 2x' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rules of EU Main 2x' }).waitFor();
  assert.match(await told(page, 1).innerText(), /^Everyone in vip on EU Main 2x/);
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]').innerText(), 'Roles');
  assert.equal(await page.getByRole('link', { name: 'Role history' }).count(), 0);
  await keepOnLoss(page);
  await looked(page);
  await saved(page);
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('link', { name: 'Roles', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Roles', exact: true }).waitFor();
  const checks = (id) => `/orgs/o1/guilds/${id}/role-recheck`;
  assert.deepEqual([...asked].sort(), ['GET /orgs/o1/announcements', `GET ${checks('g1')}`, `GET ${checks('g2')}`, 'GET /orgs/o1/roles', `GET ${RULES}`, `POST ${checks('g1')}`, `POST ${RULES}/dry-run`, `PUT ${RULES}`].sort(), 'nothing that would be refused');
  await page.context().close();
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
    });
  }
}
