// What stands around the list of users, on made-up data: the file, what others may do, odd addresses and the ways to it.
// Needs dist/.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { becomes, holdsFocus } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const USERS = '/orgs/o1/users';
const rows = (page) => page.locator('tbody tr');
const search = (page) => becomes.bind(null, () => new URL(page.url()).search);

test('what is exported is what is filtered', async () => {
  const { page, leave } = await on.visit(`${USERS}?tier=Risk&sort=score`);
  let asked = '';
  await page.route(`**/api${USERS}/export?*`, (route) => {
    asked = new URL(route.request().url()).search;
    return route.fulfill({ body: 'discord_id\r\n1\r\n', headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="users.csv"' } });
  });
  await page.getByRole('button', { name: 'Export' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export CSV' }).click()]);
  assert.equal(file.suggestedFilename(), 'users.csv');
  assert.equal(asked, '?format=csv&tier=Risk&sort=score');
  assert.equal(await readFile(await file.path(), 'utf8'), 'discord_id\r\n1\r\n');
  await leave();
});

test('whoever may only look sees nothing to select, unlink or export', async () => {
  const { page, leave } = await on.visit('/orgs/o2/users');
  await rows(page).first().waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 0);
  await page.getByRole('button', { name: 'Actions for ashfox12' }).click();
  await page.getByRole('menuitem', { name: 'Open' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Unlink' }).count(), 0);
  await page.keyboard.press('Escape');
  await leave();
});

test('a Guild that is gone matches nobody, a place that is none leads to the beginning, and an unfinished list says so', async () => {
  const { page, leave } = await on.visit(USERS, { world: 'filling' });
  await page.getByText('The list is still being filled after an upgrade').waitFor();
  await page.route(`**/api${USERS}?*`, (route) => {
    const asks = new URL(route.request().url()).searchParams;
    if (asks.get('guild_id') === 'g9') return route.fulfill({ status: 404, json: { status: 404, code: 'NOT_FOUND', message: 'There is nothing here.' } });
    if (asks.get('cursor') === 'x') return route.fulfill({ status: 400, json: { status: 400, code: 'INVALID_PARAMETER', message: 'cursor: must be as it was given', parameter: 'cursor' } });
    return route.continue();
  });
  await on.goto(page, `${USERS}?guild_id=g9`);
  await page.getByRole('heading', { name: 'No match' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await becomes(() => rows(page).count(), 50);
  await on.goto(page, `${USERS}?cursor=x`);
  await search(page)('');
  await becomes(() => rows(page).count(), 50);
  await leave();
});

test('the palette searches users, and a recent link leads to its person', async () => {
  const { page, leave } = await on.visit('/orgs/o1');
  assert.equal(await page.getByRole('link', { name: 'ashfox12' }).getAttribute('href'), '/app/orgs/o1/users/204255221017214970');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await holdsFocus(palette);
  await page.keyboard.type('juno storm');
  await palette.getByRole('option', { name: 'Search users for “juno storm”' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  await search(page)('?q=juno+storm');
  assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), 'juno storm');
  await leave();
});
