// The list of users in a real browser on made-up data: filters in the address, pages, selection and unlinking. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, holdsFocus, rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { people, unlinking, unlinkingNone } from '../fixtures-players.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const USERS = '/orgs/o1/users';
const rows = (page) => page.locator('tbody tr');
const row = (page, name) => rows(page).filter({ hasText: name });
const search = (page) => becomes.bind(null, () => new URL(page.url()).search);
const unlinkButton = (page) => page.getByRole('group', { name: 'Selected people' }).getByRole('button', { name: 'Unlink', exact: true });
const sent = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);
const focused = (locator) => becomes(() => locator.evaluate((one) => one === document.activeElement), true);

async function pick(page, field, typed, option) {
  const box = page.getByRole('combobox', { name: field });
  await box.click();
  await box.fill(typed);
  await page.getByRole('option', { name: option }).click();
}

test('a row tells who someone is, where they are linked and how far they are trusted', async () => {
  const { page, leave } = await on.visit(USERS);
  const text = (name) => row(page, name).innerText().then((words) => words.replace(/\s+/g, ' '));
  assert.match(await text('ashfox12'), /ashfox12 204255221017214970 .*Ash Byte 76561198862030940 .*SE Sweden Rustlands EU Main 2x, US Main 2x and 2 more 4 minutes ago Active 100 Trusted Booster Staff 2x Steam/);
  assert.match(await text('zephbyte185'), /Erased CA Canada .*Archived Ended 10 hours ago/);
  assert.match(await text('rookspark222'), /A removed Guild/);
  assert.equal(await row(page, 'ashfox12').getByRole('link', { name: 'ashfox12' }).getAttribute('href'), '/app/orgs/o1/users/204255221017214970');
  assert.equal(await row(page, 'zephbyte185').getByRole('checkbox').count(), 0, 'there is no link to end');
  await leave();
});

test('the search waits for the last letter, stands in the address and has its own order', async () => {
  const { page, leave } = await on.visit(USERS);
  const asked = [];
  page.on('request', (request) => request.url().includes('/users?') && asked.push(new URL(request.url()).searchParams.get('q')));
  await page.getByLabel('Search').pressSequentially('ash ', { delay: 20 });
  await search(page)('?q=ash');
  await page.getByText('Sorted by the name that matched').waitFor();
  await rest(page);
  assert.deepEqual(asked, ['ash'], 'one question for one word');
  assert.equal(await page.getByLabel('Search').inputValue(), 'ash ', 'whoever goes on typing keeps the space');
  assert.equal(await page.getByRole('button', { name: 'Linked' }).count(), 0, 'what was found has its own order');
  assert.ok((await rows(page).count()) < 50);
  await page.getByLabel('Search').fill('<@204255221017214970>');
  await becomes(() => rows(page).count(), 1);
  assert.equal(await page.getByText('Sorted by the name that matched').count(), 0);
  await page.getByLabel('Search').fill('nobody');
  await page.getByRole('heading', { name: 'No match' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await search(page)('');
  assert.equal(await page.getByLabel('Search').inputValue(), '');
  await becomes(() => rows(page).count(), 50);
  await leave();
});

test('filters stand in the address, and Servers follow the Guild', async () => {
  const { page, leave } = await on.visit(USERS);
  await page.getByLabel('Tier').selectOption('Risk');
  await search(page)('?tier=Risk');
  await pick(page, 'Server', 'eu', /^EU Main 2x/);
  await search(page)('?tier=Risk&server_id=s1');
  await pick(page, 'Guild', 'modded', 'Rustlands Modded');
  await search(page)('?tier=Risk&guild_id=g2');
  await page.getByRole('combobox', { name: 'Server' }).click();
  await becomes(() => page.getByRole('listbox').getByRole('option').allInnerTexts(), ['All Servers', 'Build Sandbox', 'US Modded 5x']);
  await page.keyboard.press('Escape');
  await pick(page, 'Country', 'swe', /^Sweden/);
  await page.getByLabel('Status').selectOption('active');
  await search(page)('?tier=Risk&guild_id=g2&country=SE&status=active');
  await page.reload();
  await becomes(() => page.getByRole('combobox', { name: 'Country' }).inputValue(), 'Sweden');
  assert.equal(await page.getByLabel('Status').inputValue(), 'active');
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await search(page)('');
  await leave();
});

test('headings sort by mouse and keyboard', async () => {
  const { page, leave } = await on.visit(USERS);
  const heading = (name) => page.getByRole('columnheader', { name });
  assert.equal(await heading('Linked').getAttribute('aria-sort'), 'descending');
  await heading('Trust').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await search(page)('?sort=-score');
  await becomes(() => heading('Trust').getAttribute('aria-sort'), 'descending');
  await page.keyboard.press('Enter');
  await search(page)('?sort=score');
  await focused(heading('Trust').getByRole('button'));
  await heading('Discord').getByRole('button').click();
  await search(page)('?sort=name');
  await becomes(() => heading('Discord').getAttribute('aria-sort'), 'ascending');
  await becomes(() => heading('Linked').getAttribute('aria-sort'), 'none');
  await leave();
});

test('pages are turned both ways, and a page that someone was sent leads to the first', async () => {
  const { page, leave } = await on.visit(USERS);
  const first = await rows(page).first().innerText();
  await page.getByText('Page 1 · 50 people').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Previous' }).isDisabled());
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 · 50 people').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText(`Page 3 · ${people.length - 100} people`).waitFor();
  await search(page)('?cursor=c100');
  assert.ok(await page.getByRole('button', { name: 'Next' }).isDisabled());
  await page.goBack();
  await page.getByText('Page 2 · 50 people').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('Page 1 · 50 people').waitFor();
  assert.equal(await rows(page).first().innerText(), first);
  await on.goto(page, `${USERS}?cursor=c50`);
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByText('Page 1 · 50 people').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2').waitFor();
  await page.getByLabel('Tier').selectOption('Risk');
  await search(page)('?tier=Risk');
  await leave();
});

test('a few people are selected across pages by keyboard and unlinked without typing', async () => {
  const { page, leave } = await on.visit(USERS);
  await page.getByLabel('Select ashfox12').focus();
  await page.keyboard.press('Space');
  await page.getByText('1 person selected').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 · 50 people').waitFor();
  const other = people[50];
  await page.getByLabel(`Select ${other.discord_name}`).check();
  await page.getByText('2 people selected').waitFor();
  await unlinkButton(page).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Unlink 2 people?' });
  await holdsFocus(dialog);
  await dialog.getByText(`This ends ${people[0].active_links + other.active_links} active links, in every Guild.`).waitFor();
  await focused(dialog.getByRole('button', { name: 'Cancel' }));
  assert.equal(await dialog.getByRole('textbox').count(), 0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focused(unlinkButton(page));
  await page.keyboard.press('Enter');
  const asked = sent(page, 'POST', `${USERS}/unlink`);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  assert.deepEqual((await asked).postDataJSON(), { users: [people[0].discord_id, other.discord_id] });
  await page.getByText('2 people selected').waitFor({ state: 'detached' });
  await leave();
});

test('everyone who matches is unlinked after typing, only in the Guild, with progress and Cancel', async () => {
  const { page, leave } = await on.visit(`${USERS}?server_id=s1`);
  let now = unlinkingNone;
  await page.route(`**/api${USERS}/unlink`, (route) => {
    const method = route.request().method();
    if (method === 'POST') now = unlinking;
    if (method === 'DELETE') now = { running: null, last: { cancelled: true, done: 350, total: 1_200 } };
    return method === 'GET' ? route.fulfill({ json: now }) : method === 'POST' ? route.fulfill({ json: { links: 1_200 } }) : route.fulfill({ status: 204 });
  });
  const all = page.getByLabel('Select all on this page');
  await rows(page).getByRole('checkbox').first().check();
  await becomes(() => all.evaluate((box) => box.indeterminate), true);
  await all.check();
  await page.getByRole('button', { name: 'Select everyone who matches' }).click();
  await page.getByText('Everyone who matches is selected').waitFor();
  await unlinkButton(page).click();
  const dialog = page.getByRole('dialog', { name: 'Unlink everyone who matches?' });
  await dialog.getByText('only in Rustlands. Links in other Guilds stay.').waitFor();
  await dialog.getByText('Server: EU Main 2x').waitFor();
  const confirm = dialog.getByRole('button', { name: 'Unlink' });
  assert.ok(await confirm.isDisabled());
  await dialog.getByLabel('Type rustlands to confirm').fill('rustland');
  assert.ok(await confirm.isDisabled());
  await dialog.getByLabel('Type rustlands to confirm').fill('rustlands');
  const asked = sent(page, 'POST', `${USERS}/unlink`);
  await page.keyboard.press('Enter');
  assert.deepEqual((await asked).postDataJSON(), { filter: { server_id: 's1' }, guild_id: 'g1' });
  const card = page.getByRole('region', { name: 'Unlinking' });
  await card.getByText('350 of 1,200 links ended').waitFor();
  assert.equal(await card.getByRole('progressbar').getAttribute('aria-valuetext'), '350 of 1,200 links ended');
  const again = sent(page, 'GET', USERS);
  const cancelled = sent(page, 'DELETE', `${USERS}/unlink`);
  await card.getByRole('button', { name: 'Cancel' }).click();
  await Promise.all([cancelled, again]);
  await page.getByText('Unlinking was cancelled: 350 of 1,200 links ended').waitFor();
  await card.waitFor({ state: 'detached' });
  await all.check();
  await page.getByRole('button', { name: 'Select everyone who matches' }).click();
  await unlinkButton(page).click();
  assert.equal(await dialog.getByLabel('Type rustlands to confirm').inputValue(), '', 'it is typed each time');
  await page.keyboard.press('Escape');
  await leave();
});

test('more than 50 people take typing, and the end of it is told and read again', async () => {
  const { page, leave } = await on.visit(USERS);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 · 50 people').waitFor();
  await page.getByLabel('Select all on this page').check();
  const chosen = people.slice(0, 100).filter((one) => one.ended_at_ms === null).length;
  await page.getByText(`${chosen} people selected`).waitFor();
  await unlinkButton(page).click();
  const dialog = page.getByRole('dialog', { name: `Unlink ${chosen} people?` });
  await dialog.getByLabel('Type rustlands to confirm').fill('rustlands');
  await page.route(`**/api${USERS}/unlink`, (route) => (route.request().method() === 'POST' ? route.fulfill({ json: { links: chosen } }) : route.fulfill({ json: { running: null, last: { cancelled: false, done: chosen, total: chosen } } })));
  const again = sent(page, 'GET', USERS);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  await page.getByText(`0 of ${chosen} links ended`).waitFor();
  await page.getByText(`Finished unlinking: ${chosen} of ${chosen} links ended`).waitFor();
  await again;
  await leave();
});

test('a refusal stays in the dialog', async () => {
  const { page, leave } = await on.visit(USERS);
  await page.route(`**/api${USERS}/unlink`, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 409, json: { status: 409, code: 'UNLINK_RUNNING', message: 'Links of this organisation are being ended already.', request_id: 'r1' } }) : route.fulfill({ json: unlinking }),
  );
  await page.getByLabel('Select ashfox12').check();
  await unlinkButton(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  await dialog.getByText('Links of this organisation are being ended already.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('region', { name: 'Unlinking' }).waitFor();
  await leave();
});

test('one person is unlinked from the menu of their row, in the Guild that is looked at', async () => {
  const { page, leave } = await on.visit(`${USERS}?guild_id=g1`);
  const menu = page.getByRole('button', { name: 'Actions for ashfox12' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Unlink' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Unlink ashfox12?' });
  await dialog.getByText('This ends their link in Rustlands. Links in other Guilds stay.').waitFor();
  await page.route('**/api/orgs/o1/users/*/unlink', (route) => route.fulfill({ json: { links: 1 } }));
  const asked = sent(page, 'POST', `${USERS}/${people[0].discord_id}/unlink`);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  assert.deepEqual((await asked).postDataJSON(), { guild_id: 'g1' });
  await page.getByText('Unlinked ashfox12').waitFor();
  await focused(menu);
  await leave();
});
