// Plans and payments: buying, coming back, what is late, and who may see it. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, holdsFocus } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { billing, billingOver, CHECKOUT, PORTAL, standard } from '../fixtures-billing.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const BILLING = '/orgs/o1/billing';
const READ = `**/api${BILLING}/subscriptions`;
const sent = (page, path) => page.waitForRequest((request) => request.method() === 'POST' && new URL(request.url()).pathname === `/api${path}`);
const refusal = (status, code, message) => ({ status, json: { status, code, message, request_id: 'r1' } });
const search = (page) => new URL(page.url()).search;
const posts = (page) => {
  const seen = [];
  page.on('request', (request) => request.method() === 'POST' && seen.push(new URL(request.url()).pathname.replace('/api', '')));
  return seen;
};
/** Stripe's pages, which are not there. */
const stripe = (page) => page.route(/^https:\/\/(checkout|portal)\.example\//, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Stripe</title>' }));
const bought = { ...billing, subscriptions: [standard], asking: false };

test('a plan is bought by keyboard, with the interval that was chosen, once for two clicks', async () => {
  const { page, leave } = await on.visit(BILLING, { world: 'over' });
  await stripe(page);
  await page.getByRole('link', { name: 'Yearly, 2 months free' }).focus();
  await page.keyboard.press('Enter');
  await becomes(() => search(page), '?pay=year');
  const plans = page.getByRole('region', { name: 'Plans' });
  await plans.getByText('$50 a year').waitFor();
  await plans.getByText('$8.33 a month, 2 months free').waitFor();
  const seen = posts(page);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/billing/plan/checkout', async (route) => {
    await held;
    await route.continue();
  });
  const asked = sent(page, `${BILLING}/plan/checkout`);
  const buy = page.getByRole('button', { name: 'Buy Standard' });
  await buy.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.deepEqual((await asked).postDataJSON(), { plan: 'standard', interval: 'year' });
  await becomes(() => plans.locator('button[aria-busy=true]').count(), 1);
  assert.ok(await page.getByRole('button', { name: 'Buy Pro' }).isDisabled());
  release();
  await page.waitForURL(CHECKOUT);
  assert.deepEqual(seen, [`${BILLING}/plan/checkout`]);
  await leave();
});

test('what is paid for is switched in the portal, and the present plan is marked', async () => {
  const { page, leave } = await on.visit(BILLING);
  await stripe(page);
  const card = (name) => page.getByRole('region', { name, exact: true });
  await card('Standard').getByText('Your plan').waitFor();
  await card('Standard').getByRole('button', { name: 'Manage in billing portal' }).waitFor();
  await card('Free').getByText('You have 2 Guilds, 4 Servers and 18,640 active links, more than this plan allows.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Buy/ }).count(), 0);
  assert.equal(await card('Custom Bots').getByRole('button').count(), 1, 'one for each Guild that has none');
  await card('Custom Bots').getByRole('button', { name: /^Add Custom Bot: \$5 a month ?, for Rustlands$/ }).waitFor();
  assert.equal(await card('Custom Bots').getByRole('link', { name: 'Open Custom Bot of Rustlands Modded' }).getAttribute('href'), '/app/orgs/o1/guilds/g2/bot');
  const row = page.getByRole('table', { name: 'Subscriptions' }).locator('tbody tr').nth(1);
  assert.match((await row.innerText()).replace(/\s+/g, ' '), /Custom Bot Rustlands Modded Active Monthly Renews on .* by someone unknown/);
  await page.getByText('100,000 with Pro').waitFor();
  const asked = sent(page, `${BILLING}/portal`);
  await card('Pro').getByRole('button', { name: 'Switch in billing portal' }).click();
  await asked;
  await page.waitForURL(PORTAL);
  await leave();
});

test('coming back from paying, it waits for Stripe and says nothing of success before that', async () => {
  const { page, leave } = await on.visit(BILLING, { world: 'over' });
  await stripe(page);
  await page.getByRole('button', { name: 'Buy Standard' }).click();
  await page.waitForURL(CHECKOUT);
  let reads = 0;
  let paid = false;
  await page.route(READ, (route) => {
    reads += 1;
    return route.fulfill({ json: paid ? { ...bought, subscriptions: [{ ...standard, id: 'sub_new' }] } : { ...billingOver, portal: true, asking: true } });
  });
  await page.route('**/api/account', async (route) => {
    const answer = await route.fetch();
    const me = await answer.json();
    await route.fulfill({ json: paid ? { ...me, orgs: me.orgs.map((org) => ({ ...org, tier: 'standard' })) } : me });
  });
  const asked = sent(page, `${BILLING}/refresh`);
  await page.goto(`${on.base}/app${BILLING}?checkout=done`);
  await asked;
  await page.getByText('Waiting for Stripe…').waitFor();
  await becomes(() => search(page), '');
  await becomes(() => reads >= 3, true);
  assert.equal(await page.getByText('Stripe has confirmed your purchase').count(), 0);
  paid = true;
  await page.getByText('Stripe has confirmed your purchase: Standard plan.').waitFor();
  assert.equal(await page.getByText('Waiting for Stripe').count(), 0);
  await page.getByRole('button', { name: 'Switch organisation' }).getByText('Standard').waitFor();
  const again = posts(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Your plan' }).waitFor();
  assert.deepEqual(again, [], 'a reload asks for nothing');
  assert.equal(await page.getByText('Stripe has confirmed your purchase').count(), 0);
  await leave();
});

test('when Stripe takes longer than a minute it says so, and still notices', async () => {
  const { page, leave } = await on.visit('/orgs/o1', { clock: true, world: 'over' });
  let paid = false;
  await page.route(READ, (route) => route.fulfill({ json: paid ? bought : { ...billingOver, portal: true, asking: false } }));
  await page.evaluate(() => sessionStorage.setItem('checkout', JSON.stringify({ org: 'o1', had: [] })));
  await page.goto(`${on.base}/app${BILLING}?checkout=done`);
  await page.getByText('Waiting for Stripe…').waitFor();
  for (let passed = 0; passed < 64; passed += 2) {
    await page.clock.runFor(2_000);
    await becomes(() => page.evaluate(() => globalThis.calls), 0);
  }
  await page.getByText('Stripe hasn’t confirmed your purchase yet. It can take a few minutes').waitFor();
  paid = true;
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Stripe has confirmed your purchase: Standard plan.').waitFor();
  await leave();
});

test('whoever turns back is told that nothing was charged, once', async () => {
  const { page, leave } = await on.visit(`${BILLING}?checkout=cancelled`, { world: 'over' });
  await page.getByText('You left checkout. Nothing was charged.').waitFor();
  assert.equal(search(page), '');
  await page.reload();
  await page.getByRole('heading', { name: 'Your plan' }).waitFor();
  assert.equal(await page.getByText('You left checkout').count(), 0);
  await leave();
});

test('after the portal, and on Check now, Stripe is asked and the page follows', async () => {
  const { page, leave } = await on.visit(BILLING);
  await page.getByText(/Checked with Stripe \d+ minutes ago/).waitFor();
  let asking = true;
  await page.route(READ, (route) => route.fulfill({ json: { ...billing, asking, read_at_ms: asking ? billing.read_at_ms : Date.now() } }));
  const asked = sent(page, `${BILLING}/refresh`);
  await page.goto(`${on.base}/app${BILLING}?portal=left`);
  await asked;
  await page.getByText('Checking with Stripe…').waitFor();
  await becomes(() => search(page), '');
  asking = false;
  await page.getByText('Checked with Stripe just now').waitFor();
  await page.route('**/billing/refresh', (route) => route.fulfill(refusal(503, 'STORAGE_UNAVAILABLE', 'Try again in a moment.')));
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Couldn’t check with Stripe. Try again in a moment.').waitFor();
  await leave();
});

test('what Stripe or the server refuses is said at the button, with the way on', async () => {
  const { page, leave } = await on.visit(BILLING, { world: 'over' });
  await stripe(page);
  const pro = page.getByRole('region', { name: 'Pro', exact: true });
  await page.route('**/billing/plan/checkout', (route) => route.fulfill(refusal(503, 'BILLING_UNAVAILABLE', 'Stripe did not answer. Nothing was charged; try again in a minute.')));
  await pro.getByRole('button', { name: 'Buy Pro' }).click();
  await pro.getByRole('alert').getByText('Stripe did not answer. Nothing was charged').waitFor();
  assert.ok(await pro.getByRole('button', { name: 'Buy Pro' }).isEnabled());
  await page.route('**/billing/plan/checkout', (route) => route.fulfill(refusal(409, 'USE_PORTAL', 'There is a subscription for this already.')));
  await page.route(READ, (route) => route.fulfill({ json: bought }));
  await pro.getByRole('button', { name: 'Buy Pro' }).click();
  await pro.getByRole('alert').getByText('There is a subscription for this already.').waitFor();
  await pro.getByRole('button', { name: 'Switch in billing portal' }).waitFor();
  await page.route('**/billing/portal', (route) => route.fulfill(refusal(409, 'NOTHING_BOUGHT', 'Nothing has been bought for this organisation yet.')));
  await pro.getByRole('button', { name: 'Open billing portal' }).click();
  await pro.getByRole('alert').getByText('Nothing has been bought for this organisation yet.').waitFor();
  await leave();
});

test('late payments stand on top with the way to pay, and what was given with its end', async () => {
  const late = await on.visit(BILLING, { world: 'late' });
  await stripe(late.page);
  await late.page.getByText('Standard plan: Stripe couldn’t collect the last payment and will try again. You keep it meanwhile.').waitFor();
  for (const word of ['Payment late', 'Unpaid', 'Paused']) await late.page.getByRole('table').getByText(word, { exact: true }).waitFor();
  await late.page.getByRole('button', { name: 'Update payment in billing portal' }).first().click();
  await late.page.waitForURL(PORTAL);
  await late.leave();
  const given = await on.visit(BILLING, { world: 'given' });
  await given.page.getByText(/The operator gave this organisation the plan Pro until .* After that, the plan is Free\./).waitFor();
  assert.equal(await given.page.getByRole('button', { name: 'Open billing portal' }).count(), 0, 'there is nothing to manage');
  await given.leave();
});

test('the page is for those who manage billing, where something is sold', async () => {
  const payer = await on.visit('/orgs/o1', { world: 'payer' });
  await payer.heading('Billing');
  await payer.leave();
  const admin = await on.visit(BILLING, { world: 'admin' });
  await admin.page.getByText('You need the permission “Manage billing” (org.billing). The Owner can grant it on the Team page.').waitFor();
  assert.equal(await admin.page.getByRole('link', { name: 'Billing' }).count(), 0);
  await admin.leave();
  const unsold = await on.visit(BILLING, { world: 'unsold' });
  await unsold.page.getByRole('heading', { name: 'Nothing is sold here' }).waitFor();
  assert.equal(await unsold.page.getByRole('link', { name: 'Billing' }).count(), 0);
  await unsold.leave();
  const off = await on.visit('/orgs/o1/guilds');
  await off.page.route(READ, (route) => route.fulfill(refusal(404, 'BILLING_OFF', 'Nothing is sold on this installation.')));
  await off.page.getByRole('link', { name: 'Billing' }).click();
  await off.page.getByRole('heading', { name: 'Nothing is sold here' }).waitFor();
  await off.leave();
});

test('limits lead to the plans, for those who may buy one', async () => {
  const owner = await on.visit('/orgs/o1', { world: 'over' });
  await owner.page.getByRole('link', { name: 'See plans for more: Servers' }).click();
  await owner.heading('Billing');
  await on.goto(owner.page, '/orgs/o1/guilds');
  await owner.page.getByText('You have 2 Guilds and your plan allows 1.').waitFor();
  await owner.page.getByRole('link', { name: 'See plans' }).click();
  await owner.heading('Billing');
  await owner.leave();
  const keys = await on.visit('/orgs/o1/keys', { world: 'fresh' });
  await keys.page.getByRole('link', { name: 'See plans' }).click();
  await keys.heading('Billing');
  await keys.leave();
  const staff = await on.visit('/orgs/o2', {});
  assert.ok((await staff.page.getByText('Over the limit').count()) > 0);
  assert.equal(await staff.page.getByRole('link', { name: /See plans/ }).count(), 0);
  await staff.leave();
  const unsold = await on.visit('/orgs/o1', { world: 'unsold' });
  await unsold.page.getByText('Nearly full').waitFor();
  assert.equal(await unsold.page.getByRole('link', { name: /See plans|Billing/ }).count(), 0);
  await unsold.leave();
});

test('a refused Server leads to the plans, and what is paid for is cancelled before it is removed', async () => {
  const server = await on.visit('/orgs/o1/servers');
  await server.page.route('**/api/orgs/o1/servers', (route) => (route.request().method() === 'POST' ? route.fulfill(refusal(409, 'LIMIT_REACHED', 'Your plan allows 4 Servers.')) : route.continue()));
  await server.page.getByRole('button', { name: 'Add Server' }).click();
  await server.page.getByLabel('Name').fill('EU 3x');
  await server.page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
  await server.page.getByRole('alert').getByText('Your plan allows 4 Servers.').waitFor();
  await server.page.getByRole('dialog').getByRole('link', { name: 'See plans' }).click();
  await server.heading('Billing');
  await server.leave();

  const renews = refusal(409, 'ACTIVE_SUBSCRIPTION', 'A subscription for this renews by itself. Cancel it in the billing portal first.');
  for (const [path, button] of [['/orgs/o1/guilds/g1', 'Remove Guild'], ['/orgs/o1/settings', 'Delete']]) {
    const { page, heading, leave } = await on.visit(path);
    await page.route('**/api/orgs/o1**', (route) => (route.request().method() === 'DELETE' ? route.fulfill(renews) : route.continue()));
    await page.route('**/api/orgs/o1/guilds/g1', (route) => (route.request().method() === 'DELETE' ? route.fulfill(renews) : route.continue()));
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    await holdsFocus(dialog);
    await dialog.getByLabel(/Type rustlands/).fill('rustlands');
    await dialog.getByRole('button', { name: button }).click();
    await dialog.getByText('Cancel it in the billing portal first.').waitFor();
    await dialog.getByRole('link', { name: 'Open billing' }).click();
    await heading('Billing');
    await leave();
  }
  const admin = await on.visit('/orgs/o1/guilds/g1', { world: 'admin' });
  await admin.page.route('**/api/orgs/o1/guilds/g1', (route) => (route.request().method() === 'DELETE' ? route.fulfill(renews) : route.continue()));
  await admin.page.getByRole('button', { name: 'Remove Guild' }).click();
  await admin.page.getByRole('dialog').getByLabel(/Type rustlands/).fill('rustlands');
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove Guild' }).click();
  await admin.page.getByText('Someone with the permission “Manage billing” can do that.').waitFor();
  assert.equal(await admin.page.getByRole('link', { name: 'Open billing' }).count(), 0);
  await admin.leave();
});
