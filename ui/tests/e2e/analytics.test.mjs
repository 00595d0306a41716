// Analytics in a real browser on made-up data: charts and their tables, ranges in the address, files, ranks. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const PAGE = '/orgs/o1/analytics';
const chart = (page) => page.getByRole('slider', { name: 'Links per day' });
const search = (page) => becomes.bind(null, () => new URL(page.url()).search);

test('a chart is read by keyboard and says the same as its table', async () => {
  const { page, leave } = await on.visit(PAGE);
  await chart(page).focus();
  await page.keyboard.press('End');
  const told = await chart(page).getAttribute('aria-valuetext');
  const [, linked, unlinked] = /: (\d+) linked, (\d+) unlinked/.exec(told);
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await chart(page).getAttribute('aria-valuetext'), told);
  await page.getByRole('link', { name: 'Tables' }).click();
  await search(page)('?as=table');
  const first = page.getByRole('group', { name: 'Links per day' }).locator('tbody tr').first();
  assert.deepEqual((await first.locator('td').allInnerTexts()).slice(1, 3), [linked, unlinked]);
  assert.equal(await page.getByRole('slider').count(), 0, 'every chart has become a table');
  await leave();
});

test('range and Guild stand in the address and are asked for', async () => {
  const { page, leave } = await on.visit(PAGE);
  const asked = page.waitForRequest((request) => request.url().includes('/analytics?') && request.url().includes('guild_id=g1'));
  await page.getByRole('link', { name: '7 days' }).click();
  await search(page)('?days=7');
  await page.getByLabel('Guild', { exact: true }).selectOption('g1');
  await search(page)('?days=7&guild_id=g1');
  const from = new URL((await asked).url()).searchParams.get('from');
  assert.equal(from, new Date(Date.now() - 6 * 24 * 60 * 60_000).toISOString().slice(0, 10));
  await becomes(() => page.getByRole('meter').count(), 0);
  await leave();
});

test('failures and retention are told in words', async () => {
  const { page, leave } = await on.visit(PAGE);
  await page.getByText('Not in the Steam group').waitFor();
  await page.getByText('62% of those who started were linked.').waitFor();
  assert.ok((await page.getByText('Not yet').count()) > 0, 'a month whose time has not come');
  await leave();
});

test('whoever may export takes the table they choose, with the days they see', async () => {
  const { page, leave } = await on.visit(`${PAGE}?days=90`);
  await page.route('**/analytics/export?*', (route) => route.fulfill({ headers: { 'content-disposition': 'attachment; filename="retention.csv"' }, body: 'month\r\n' }));
  const asked = page.waitForRequest((request) => request.url().includes('/analytics/export?'));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'How long links last, CSV' }).click();
  const query = new URL((await asked).url()).searchParams;
  assert.deepEqual([query.get('table'), query.get('format')], ['retention', 'csv']);
  assert.equal(query.get('from'), new Date(Date.now() - 89 * 24 * 60 * 60_000).toISOString().slice(0, 10));
  await leave();
});

test('the overview shows the trend to those who may see analytics, and leads there', async () => {
  const { page, leave } = await on.visit('/orgs/o1');
  await page.getByRole('slider', { name: 'Links and unlinks of the last 30 days' }).waitFor();
  await page.getByRole('region', { name: 'Last 30 days' }).getByRole('link', { name: 'Analytics' }).click();
  await becomes(() => new URL(page.url()).pathname, '/app/orgs/o1/analytics');
  await leave();
  const viewer = await on.visit('/orgs/o1', { world: 'viewer' });
  await viewer.page.getByRole('heading', { name: 'Servers' }).first().waitFor();
  assert.equal(await viewer.page.getByText('Last 30 days').count(), 0);
  await viewer.leave();
});
