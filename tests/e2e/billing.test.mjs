// A plan by clicking: bought, switched in the portal, cancelled, and what stays after that.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { guild, startSandbox } from './sandbox.mjs';
import { becomes } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const DAY_MS = 24 * 60 * 60_000;

let sandbox;
let browser;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

const advance = async ({ control }, ms) => {
  const body = JSON.stringify({ advance_ms: ms });
  const reply = await fetch(`${control}/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  assert.equal(reply.status, 200);
};

test('from Free to Standard to Pro and back, and what was made stays', async () => {
  const { world } = sandbox;
  const org = world.orgs.find(({ slug }) => slug === 'tiny-camp');
  const dara = await new Member(browser, world, 'Dara').arrive();
  const { page } = dara;
  const tier = async () => (await dara.read(`/orgs/${org.id}/billing/subscriptions`)).tier;
  const addServer = (name) =>
    page.evaluate(
      async ([path, body]) => {
        const reply = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        return reply.status;
      },
      [`/orgs/${org.id}/servers`, JSON.stringify({ guild_id: guild(world, 'tiny-camp').id, name })],
    );

  await dara.open(`/orgs/${org.id}/billing`);
  await dara.heading('Billing');
  await dara.look(SYMBOLON_TEST_PICTURES, 'billing-free');
  assert.equal(await tier(), 'free');
  assert.equal(await addServer('Second'), 201);
  assert.equal(await addServer('Third'), 409);

  await page.getByRole('button', { name: /Buy Standard/ }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/billing-checkout.png` });
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.waitForURL(/\/billing/);
  await becomes(tier, 'standard', 'Standard was paid for');
  await page.getByText('Standard', { exact: false }).first().waitFor();
  for (const name of ['Third', 'Fourth', 'Fifth']) assert.equal(await addServer(name), 201, name);
  await dara.open(`/orgs/${org.id}/billing`);
  await dara.look(SYMBOLON_TEST_PICTURES, 'billing-standard');

  await page.getByRole('button', { name: 'Open billing portal' }).first().click();
  await page.waitForURL(/\/p\/session\//);
  await page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/billing-portal.png` });
  await page.getByLabel('Change to').selectOption({ label: await page.locator('option', { hasText: 'Symbolon Pro' }).first().textContent() });
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('link', { name: /^Return to/ }).click();
  await page.waitForURL(/\/billing/);
  await becomes(tier, 'pro', 'Pro was chosen in the portal');

  await page.getByRole('button', { name: 'Open billing portal' }).first().click();
  await page.waitForURL(/\/p\/session\//);
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await page.getByRole('link', { name: /^Return to/ }).click();
  await page.waitForURL(/\/billing/);
  const ends = async () => (await dara.read(`/orgs/${org.id}/billing/subscriptions`)).subscriptions[0]?.ends_at_ms != null;
  await becomes(ends, true, 'the end is known');
  assert.equal(await tier(), 'pro', 'what is paid for is had to its end');
  await dara.open(`/orgs/${org.id}/billing`);
  await dara.look(SYMBOLON_TEST_PICTURES, 'billing-ends');
  for (const days of [16, 16]) {
    await advance(world, days * DAY_MS);
    await tier();
  }
  await becomes(tier, 'free', 'the period is over');
  const { servers } = await dara.read(`/orgs/${org.id}/servers`);
  assert.equal(servers.length, 5);
  assert.equal(await addServer('Sixth'), 409);
  await dara.open(`/orgs/${org.id}/billing`);
  await dara.look(SYMBOLON_TEST_PICTURES, 'billing-over');
  await dara.leave();
  assert.deepEqual(dara.findings, []);
});
