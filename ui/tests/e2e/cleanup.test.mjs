// Dormant accounts: the settings, who they concern, and who is kept. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, holdsFocus } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { AWAY } from '../fixtures-person.mjs';
import { cleanup, cleanupOff, dormant } from '../fixtures-players.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const CLEANUP = '/orgs/o1/cleanup';
const FLAGGED = '/orgs/o1/users?status=flagged';
const save = (page) => page.getByRole('button', { name: 'Save', exact: true });
const days = (page) => page.getByLabel('Days until dormant');
const toggle = (page) => page.getByRole('switch', { name: 'End the links of dormant accounts' });
const sent = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);
const refusal = (status, code, message, more = {}) => ({ status, json: { status, code, message, request_id: 'r1', ...more } });
const dormantAfter = (amount) => dormant(new URLSearchParams({ days: amount })).total;

test('turning it on asks with the number of links, and a cancelled question saves nothing', async () => {
  const { page, leave } = await on.visit(CLEANUP, { world: 'cleanup_off' });
  await page.getByText('Off. No link ends.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Run now' }).isDisabled());
  let puts = 0;
  page.on('request', (request) => (puts += request.method() === 'PUT' ? 1 : 0));
  await toggle(page).focus();
  await page.keyboard.press('Space');
  await save(page).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on the cleanup of dormant accounts?' });
  await dialog.getByText(`${dormantAfter(90)} links are dormant now. They’re flagged as soon as you save. Nobody is unlinked before the grace period of 7 days is over.`).waitFor();
  await dialog.getByText('Nobody is dormant in Rustlands Modded yet').waitFor();
  await holdsFocus(dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(puts, 0);
  assert.ok(await toggle(page).isChecked(), 'the draft stays');
  await save(page).click();
  const saved = sent(page, 'PUT', CLEANUP);
  await dialog.getByRole('button', { name: 'Save and turn on' }).click();
  assert.deepEqual((await saved).postDataJSON(), { enabled: true, days: 90, grace_days: 7, revision: cleanupOff.revision });
  await page.getByText('Saved. A run follows in a moment').waitFor();
  await leave();
});

test('where nobody can count, the question says so, and it can be counted again', async () => {
  const { page, leave } = await on.visit(CLEANUP, { world: 'cleanup_off' });
  await page.route(`**/api${CLEANUP}/preview?*`, (route) => route.fulfill(refusal(429, 'SIMULATIONS_RUNNING', 'Another one is under way.')));
  await toggle(page).check();
  await save(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Couldn’t count dormant links. Another one is under way.').waitFor();
  await page.unroute(`**/api${CLEANUP}/preview?*`);
  await dialog.getByRole('button', { name: 'Count again' }).click();
  await dialog.getByText(/links are dormant now/).waitFor();
  await leave();
});

test('a preview lists who is dormant by the days in the form, and changes nothing', async () => {
  const { page, leave } = await on.visit(CLEANUP);
  await days(page).fill('366');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Enter a whole number from 7 to 365.').waitFor();
  await becomes(() => days(page).evaluate((one) => one === document.activeElement), true);
  await days(page).fill('30');
  const asked = sent(page, 'GET', `${CLEANUP}/preview`);
  await page.getByRole('button', { name: 'Preview' }).click();
  assert.equal(new URL((await asked).url()).search, '?days=30');
  await page.getByText(`${dormantAfter(30)} links are dormant after 30 days`).waitFor();
  const rows = page.getByRole('table', { name: 'Dormant accounts' }).locator('tbody tr');
  assert.equal(await rows.count(), 50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await becomes(() => rows.count(), dormantAfter(30));
  assert.match(await rows.first().getByRole('link').getAttribute('href'), /\/orgs\/o1\/users\/\d+$/);
  await days(page).fill('31');
  await page.getByText('You’ve changed the days since. Preview again.').waitFor();
  await leave();
});

test('what someone else saved meanwhile is shown, and a refusal keeps the draft', async () => {
  const { page, leave } = await on.visit(CLEANUP);
  await page.route(`**/api${CLEANUP}`, (route) =>
    route.request().method() === 'PUT' ? route.fulfill(refusal(400, 'INVALID_PARAMETER', 'grace_days: must be from 1 to 90', { parameter: 'grace_days' })) : route.continue(),
  );
  await page.getByLabel('Grace period in days').fill('14');
  await save(page).click();
  await page.getByText('Must be from 1 to 90').waitFor();
  assert.equal(await page.getByLabel('Grace period in days').inputValue(), '14');
  await page.unroute(`**/api${CLEANUP}`);
  const theirs = { ...cleanup, days: 120, revision: cleanup.revision + 1 };
  await page.route(`**/api${CLEANUP}`, (route) => (route.request().method() === 'PUT' ? route.fulfill(refusal(409, 'CHANGED_MEANWHILE', 'Someone else saved meanwhile.')) : route.fulfill({ json: theirs })));
  await save(page).click();
  const conflict = page.getByRole('region', { name: 'Changed while you were editing' });
  assert.match((await conflict.innerText()).replace(/\s+/g, ' '), /Days until dormant 90 .*120/);
  await conflict.getByRole('button', { name: 'Use theirs' }).click();
  await becomes(() => days(page).inputValue(), '120');
  assert.equal(await page.getByLabel('Grace period in days').inputValue(), '14', 'what only one changed stays');
  await leave();
});

test('a run is asked for, watched while it lasts, and told when it is over', async () => {
  const { page, leave } = await on.visit(CLEANUP, { notes: true });
  let reads = 0;
  let isRunning = false;
  await page.route(`**/api${CLEANUP}`, (route) => {
    reads += 1;
    return route.fulfill({ json: { ...cleanup, running: isRunning, ...(reads > 1 && { last_run: { at_ms: Date.now(), flagged: 3, cleared: 0, ended: 1 } }) } });
  });
  await page.getByText('Flagged 4 links, took 1 flag off and ended 2 links.').waitFor();
  await page.getByRole('button', { name: 'Run now' }).click();
  const asked = sent(page, 'POST', `${CLEANUP}/run`);
  isRunning = true;
  await page.getByRole('dialog', { name: 'Run now?' }).getByRole('button', { name: 'Run now' }).click();
  await asked;
  await page.getByText('A run is under way. You can leave this page.').waitFor();
  isRunning = false;
  await page.getByText('Finished the run. Flagged 3 links and ended 1 link.').waitFor();
  await page.getByText('On. A run looks for dormant accounts once a day.').waitFor();
  await leave();
});

test('whoever may only clean up reaches the page, and learns what they lack', async () => {
  const { page, leave, heading } = await on.visit('/orgs/o1', { world: 'cleaner' });
  await page.getByRole('link', { name: 'Dormant accounts' }).first().click();
  await heading('Dormant accounts');
  assert.equal(await page.getByRole('link', { name: /people$/ }).count(), 0, 'no way to a list that is not theirs');
  await page.route(`**/api${CLEANUP}/preview?*`, (route) => route.fulfill({ json: { ...dormant(new URLSearchParams()), users: [] } }));
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('To see who they are, you need the permission “View links”.').waitFor();
  await leave();
});

test('flagged people are listed with since when, and kept together', async () => {
  const { page, leave } = await on.visit(CLEANUP, { world: 'keeper', notes: true });
  await page.getByRole('link', { name: `${cleanup.flagged} people` }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  assert.equal(new URL(page.url()).search, '?status=flagged');
  const rows = page.locator('tbody tr');
  await becomes(() => rows.count(), cleanup.flagged);
  assert.match((await rows.first().innerText()).replace(/\s+/g, ' '), /Dormant Flagged (yesterday|\d days ago)/);
  await page.getByLabel('Select all on this page').check();
  assert.equal(await page.getByRole('button', { name: 'Unlink', exact: true }).count(), 0, 'that takes another permission');
  const asked = sent(page, 'POST', `${CLEANUP}/keep`);
  await page.getByRole('button', { name: 'Keep' }).click();
  assert.equal((await asked).postDataJSON().users.length, cleanup.flagged);
  await page.getByText(`Kept ${cleanup.flagged} people: took 2 flags off`).waitFor();
  await page.getByRole('group', { name: 'Selected people' }).waitFor({ state: 'detached' });
  await page.getByLabel('Status').selectOption('active');
  await becomes(() => page.getByRole('checkbox').count(), 0);
  await leave();
});

test('someone’s page says that they are flagged, and keeps them', async () => {
  const { page, leave } = await on.visit(`/orgs/o1/users/${AWAY}`, { notes: true });
  await page.getByText(/Flagged as dormant in Rustlands 3 days ago\. The link ends after the grace period, unless they come back\./).waitFor();
  const asked = sent(page, 'POST', `${CLEANUP}/keep`);
  await page.getByRole('button', { name: 'Keep' }).click();
  assert.deepEqual((await asked).postDataJSON(), { users: [AWAY] });
  await page.getByText('Kept wrenmoth865: took 2 flags off').waitFor();
  await on.goto(page, FLAGGED);
  await page.getByText('Flagged links end after the grace period, unless the player comes back or you keep them.').waitFor();
  await leave();
});
