// Keywords and colours for the Trust Score, in a real browser on made-up data. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { trustSettings } from '../fixtures-players.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const TRUST = '/orgs/o1/trust';
const save = (page) => page.getByRole('button', { name: 'Save', exact: true });
const keyword = (page, name) => page.getByRole('group', { name, exact: true });
const sent = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);
const focused = (locator) => becomes(() => locator.evaluate((one) => one === document.activeElement), true);

test('keywords are added, moved and removed by keyboard, tried out and saved on top of what was read', async () => {
  const { page, leave } = await on.visit(TRUST);
  await page.getByText('90 to 100').waitFor();
  await page.getByRole('button', { name: 'Add keyword' }).press('Enter');
  await focused(keyword(page, 'new keyword').getByLabel('Name contains'));
  await page.keyboard.type(' Legend');
  await keyword(page, 'Legend').getByLabel('Counts as').selectOption('vip');
  await page.getByRole('button', { name: 'Move Legend up' }).press('Enter');
  await page.getByRole('button', { name: 'Remove headadmin' }).press('Enter');
  await page.getByLabel('Colour of Moderator').selectOption('accent');
  const wanted = [{ text: 'helper', class: 'staff' }, { text: 'legend', class: 'vip' }, { text: 'elite', class: 'vip' }];
  const tones = [{ class: 'moderator', tone: 'accent' }, { class: 'vip', tone: 'accent' }];
  const tried = sent(page, 'POST', `${TRUST}/simulate`);
  await page.getByRole('button', { name: 'Try it out' }).click();
  assert.deepEqual((await tried).postDataJSON(), { keywords: wanted, tones });
  await page.getByText('214 of 1,200 people would change tier.').waitFor();
  const moves = page.getByRole('region', { name: 'Try it out' }).getByRole('listitem');
  assert.match((await moves.first().innerText()).replace(/\s+/g, ' '), /Normal to Trusted 12 people/);
  await keyword(page, 'elite').getByLabel('Counts as').selectOption('donator');
  await page.getByText('You’ve changed the keywords since.').waitFor();
  const saved = sent(page, 'PUT', TRUST);
  await save(page).click();
  assert.deepEqual((await saved).postDataJSON(), { keywords: [wanted[0], wanted[1], { text: 'elite', class: 'donator' }], tones, revision: trustSettings.revision });
  await page.getByText('Saved. Scores follow in a moment').waitFor();
  await leave();
});

test('mistakes are told at their row, the page’s own and the server’s', async () => {
  const { page, leave } = await on.visit(TRUST);
  await page.getByRole('button', { name: 'Add keyword' }).click();
  await page.keyboard.type('HELPER');
  await save(page).click();
  const field = keyword(page, 'HELPER').getByLabel('Name contains');
  await page.getByText('There’s already a keyword like this above.').waitFor();
  await focused(field);
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill('guide');
  await page.route(`**/api${TRUST}`, (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 400, json: { status: 400, code: 'INVALID_PARAMETER', message: 'Row 4, text: the same keyword twice', parameter: 'text', row: 3, request_id: 'r1' } }) : route.continue(),
  );
  await save(page).click();
  await page.getByText('The same keyword twice.').waitFor();
  await focused(keyword(page, 'guide').getByLabel('Name contains'));
  await keyword(page, 'guide').getByLabel('Name contains').fill('guides');
  await page.getByText('The same keyword twice.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reset' }).click();
  await becomes(() => page.getByLabel('Name contains').count(), 3);
  await leave();
});

test('what someone else saved meanwhile is shown, and nothing is overwritten unseen', async () => {
  const { page, leave } = await on.visit(TRUST);
  const theirs = { ...trustSettings, keywords: [{ text: 'helper', class: 'admin' }, ...trustSettings.keywords.slice(1)], revision: trustSettings.revision + 1 };
  await page.route(`**/api${TRUST}`, (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 409, json: { status: 409, code: 'CHANGED_MEANWHILE', message: 'Someone else saved meanwhile.', request_id: 'r1' } }) : route.fulfill({ json: theirs }),
  );
  await keyword(page, 'elite').getByLabel('Counts as').selectOption('donator');
  await save(page).click();
  await page.getByText('helper: Admin').waitFor();
  await page.getByText('helper: Staff').waitFor();
  await leave();
});

test('leaving with unsaved changes is held back', async () => {
  const { page, leave } = await on.visit(TRUST);
  await page.getByLabel('Colour of Admin').selectOption('neutral');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('Save or reset your changes before you leave.').waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  await leave();
});
