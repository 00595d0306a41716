// One person's page: the graph by keyboard, the tables beside the drawings, and unlinking. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { READS } from '../fixtures.mjs';
import { ASH, CROWD, crowdGraph, FRESH } from '../fixtures-person.mjs';
import { through, wrongWith } from '../screens.mjs';

const at = (user) => `/orgs/o1/users/${user}`;
let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const asked = (page, method, path) => page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === `/api${path}`);
/** What has the keyboard, as it is read aloud. */
const held = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim());
const query = (page, name) => new URL(page.url()).searchParams.get(name);
const graphOf = (page, name) => page.getByRole('group', { name: `Account graph of ${name}` });

async function toGraph(page) {
  await page.getByRole('heading', { name: 'Account graph' }).scrollIntoViewIfNeeded();
  await page.getByRole('group', { name: /^Account graph of/ }).waitFor();
  await rest(page);
}

test('the page tells who it is, how far they are trusted and why', async () => {
  const { page, heading, leave } = await on.visit(at(ASH));
  await heading('ashfox12');
  const accounts = page.getByRole('region', { name: 'Accounts' });
  const profile = accounts.getByRole('link', { name: /Ash Byte/ });
  assert.match(await profile.getAttribute('href'), /^https:\/\/steamcommunity\.com\/profiles\/7656\d{13}$/);
  assert.equal(await profile.getAttribute('rel'), 'noopener noreferrer');
  assert.match(await accounts.innerText(), /Sweden \(SE\), at the last verification/);
  const trust = (await page.getByRole('region', { name: 'Trust', exact: true }).innerText()).replace(/\s+/g, ' ');
  assert.match(trust, /51 of 100 Watch Watch is from 40 to 69\. 19 more points make it Normal\./);
  assert.match(trust, /Stability 82 of 100, counts 35 %: 28\.7 points One link that they or a plugin ended costs 18 points of stability\./);
  assert.match(trust, /Best group: VIP on EU Main 2x, none on US Main 2x and none on US Modded 5x\./);
  await through(page);
  const text = (name) => page.getByRole('region', { name }).innerText().then((words) => words.replace(/\s+/g, ' '));
  assert.match(await text('Servers'), /event-winners-of-the-summer.*Custom.*Never reported/);
  assert.match(await text('Link history'), /Rustlands Classic \(removed\).*Dormant 32 days/);
  assert.match(await text('Role history'), /Added VIP on Discord.*The newest 5 changes.*Nothing of theirs was changed/);
  assert.match(await text('Who looked at this page'), /maya\.okafor.*iven.*A deleted account/);
  const all = page.getByRole('link', { name: 'All in the audit log' });
  assert.match(await all.getAttribute('href'), /\/audit\?action=user\.viewed&target=lnk_2$/);
  await leave();
});

test('the chart is read by keyboard, and its table holds every point', async () => {
  const { page, leave } = await on.visit(at(ASH));
  await page.getByRole('heading', { name: 'Trust history' }).scrollIntoViewIfNeeded();
  const chart = page.getByRole('slider', { name: 'Trust history of ashfox12, last 30 days' });
  await chart.focus();
  const last = await chart.getAttribute('aria-valuetext');
  assert.match(last, /: 51, Watch$/);
  await page.keyboard.press('ArrowLeft');
  await becomes(async () => (await chart.getAttribute('aria-valuetext')) === last, false);
  await page.keyboard.press('End');
  await becomes(() => chart.getAttribute('aria-valuetext'), last);
  await page.getByRole('link', { name: '7 days' }).click();
  await page.getByRole('slider', { name: /last 7 days/ }).waitFor();
  assert.equal(query(page, 'days'), '7');
  await page.getByRole('group', { name: 'Trust history as' }).getByRole('link', { name: 'Table' }).click();
  const { points } = READS[`/orgs/o1/users/${ASH}/trust-history`](new URLSearchParams('days=7'));
  await becomes(() => page.getByRole('table', { name: 'Trust history' }).locator('tbody tr').count(), Math.min(50, points.length));
  assert.equal(query(page, 'history'), 'table');
  await page.goBack();
  await page.getByRole('slider', { name: /last 7 days/ }).waitFor();
  await leave();
});

test('the graph has one tab stop; arrow keys lead from account to account, and Enter opens one', async () => {
  const { page, leave } = await on.visit(at(CROWD));
  await toGraph(page);
  const graph = graphOf(page, 'a_very_long_name_without_any_spaces_at_all');
  assert.equal(await graph.locator('a').count(), 60);
  assert.equal(await graph.locator('a[tabindex="0"]').count(), 1);
  await page.getByRole('button', { name: 'Zoom in' }).focus();
  await page.keyboard.press('Tab');
  assert.match(await held(page), /^a_very_long_name.*, Discord, this person/, 'what cannot be pressed is skipped');
  await page.keyboard.press('ArrowDown');
  assert.match(await held(page), /^Crow 1, Steam, .*linked with/);
  const first = await held(page);
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await held(page), first);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await held(page), first);
  assert.equal(await graph.locator('a[tabindex="0"]').count(), 1);
  await page.keyboard.press('Home');
  assert.match(await held(page), /this person/);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('svg[role=group]') === null), true, 'one tab leads out');
  await leave();

  const other = await on.visit(at(ASH));
  await toGraph(other.page);
  await other.page.evaluate(() => (globalThis.stayed = true));
  await graphOf(other.page, 'ashfox12').locator('a[tabindex="0"]').focus();
  await other.page.keyboard.press('ArrowDown');
  const steam = await other.page.evaluate(() => document.activeElement.getAttribute('href'));
  await other.page.keyboard.press('Enter');
  await other.page.waitForURL(`**${steam}`);
  await other.heading('ashfox12');
  await becomes(() => held(other.page), 'ashfox12');
  assert.ok(await other.page.evaluate(() => globalThis.stayed), 'without loading the app again');
  await other.leave();
});

test('the graph can be zoomed, leaves out ended links, and its list holds every link', async () => {
  const { page, leave } = await on.visit(at(CROWD));
  await toGraph(page);
  const graph = page.getByRole('group', { name: /^Account graph of/ });
  const width = () => graph.evaluate((svg) => Math.round(svg.getBoundingClientRect().width));
  const before = await width();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await becomes(async () => (await width()) > before, true);
  await page.getByRole('button', { name: 'Show all' }).click();
  await becomes(width, before);
  const { accounts, links } = READS[`/orgs/o1/users/${CROWD}/graph`];
  await page.getByRole('switch', { name: 'Ended links' }).click();
  const active = accounts.filter((one) => one.active).length;
  await becomes(() => graph.locator('a').count(), active + (accounts[0].active ? 0 : 1));
  assert.equal(query(page, 'ended'), 'hidden');
  await page.getByRole('group', { name: 'Account graph as' }).getByRole('link', { name: 'List' }).click();
  const rows = page.getByRole('table', { name: 'Links between the accounts' }).locator('tbody tr');
  await becomes(() => rows.count(), links.filter((link) => link.ended_at_ms === null).length);
  await page.getByRole('switch', { name: 'Ended links' }).click();
  await page.getByText(`50 of ${links.length} links`).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await becomes(() => rows.count(), links.length);
  await page.getByText('Erased account').first().waitFor();
  await leave();
});

test('of very many accounts the nearest 200 are drawn, and it is said that there are more', async () => {
  const page = await on.page();
  await page.route(`**/api${at(CROWD)}/graph`, (route) => route.fulfill({ json: crowdGraph(320, true) }));
  await on.goto(page, at(CROWD));
  await toGraph(page);
  await page.getByText('Showing 200 of 320 accounts').waitFor();
  await page.getByText('There are more accounts and links than these.').waitFor();
  assert.equal(await page.getByRole('group', { name: /^Account graph of/ }).locator('a').count(), 200);
  assert.deepEqual(await wrongWith(page), []);
  await page.context().close();
});

test('somebody is unlinked everywhere or in one Guild, after being told what that does', async () => {
  const { page, leave } = await on.visit(at(ASH));
  await page.getByRole('button', { name: 'Unlink', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Unlink ashfox12?' });
  await dialog.getByText('This ends 2 links. Roles and groups that we gave for it are taken back. ashfox12 can link again.').waitFor();
  await becomes(() => held(page), 'Cancel');
  await dialog.getByLabel('Rustlands Modded').check();
  await dialog.getByText('This ends 1 link in Rustlands Modded.').waitFor();
  const sent = asked(page, 'POST', `${at(ASH)}/unlink`);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  assert.deepEqual((await sent).postDataJSON(), { guild_id: 'g2' });
  await page.getByText('Unlinked ashfox12 in Rustlands Modded').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await becomes(() => held(page), 'Unlink');

  await page.getByRole('button', { name: 'Unlink', exact: true }).click();
  const everywhere = asked(page, 'POST', `${at(ASH)}/unlink`);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  assert.deepEqual((await everywhere).postDataJSON(), { guild_id: null });
  await leave();
});

test('with one link there is nothing to choose, and a failure stays in the dialog', async () => {
  const { page, leave } = await on.visit(at(FRESH));
  await page.route(`**/api${at(FRESH)}/unlink`, (route) => route.fulfill({ status: 409, json: { status: 409, code: 'CONFLICT', message: 'Something changed at the same moment. Try again.', request_id: 'r1' } }));
  await page.getByRole('button', { name: 'Unlink', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Unlink junostorm486?' });
  assert.equal(await dialog.getByRole('radio').count(), 0);
  await dialog.getByRole('button', { name: 'Unlink' }).click();
  await dialog.getByText('Something changed at the same moment. Try again.').waitFor();
  await leave();
});

test('a score is recomputed and read again', async () => {
  const { page, leave } = await on.visit(at(ASH));
  const sent = asked(page, 'POST', `${at(ASH)}/trust`);
  const again = asked(page, 'GET', at(ASH));
  await page.getByRole('button', { name: 'Recompute' }).click();
  await sent;
  await again;
  await page.getByText('Recomputed the Trust Score of ashfox12').waitFor();
  await leave();
});

test('who may only look sees no Unlink and not who else looked', async () => {
  const page = await on.page();
  const account = READS['/account'];
  const org = { ...account.orgs[0], role: 'staff', permissions: ['links.view'] };
  await page.route('**/api/account', (route) => route.fulfill({ json: { ...account, orgs: [org] } }));
  await on.goto(page, at(ASH));
  await through(page);
  assert.equal(await page.getByRole('button', { name: 'Unlink', exact: true }).count(), 0);
  assert.equal(await page.getByText('Who looked at this page').count(), 0);
  assert.equal(await page.getByRole('link', { name: 'EU Main 2x' }).count(), 0);
  await page.getByRole('link', { name: /^Whole history/ }).first().waitFor();
  await page.context().close();
});

test('nobody is there', async () => {
  const { page, leave } = await on.visit(at('999'));
  await page.getByRole('heading', { name: 'Nobody with this ID has linked here' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Recompute' }).count(), 0);
  assert.match(await page.getByRole('link', { name: 'Go to Users' }).getAttribute('href'), /\/orgs\/o1\/users$/);
  await leave();
});
