// A bot of one's own by clicking: bought, given its token, added to the Discord server, online.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { guild, startSandbox } from './sandbox.mjs';
import { becomes } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;

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

/** An application in Discord's developer portal, with the token of its bot. */
async function application({ discord }, name) {
  const made = await fetch(new URL('/developers/applications', discord.api), { method: 'POST', body: new URLSearchParams({ name }) });
  const page = await made.text();
  return page.match(/Bot token<\/dt><dd><code>([^<]+)/)[1];
}

test('a Guild gets a bot of its own, which goes online by itself', async () => {
  const { world } = sandbox;
  const org = world.orgs.find(({ slug }) => slug === 'tiny-camp');
  const { id } = guild(world, 'tiny-camp');
  const dara = await new Member(browser, world, 'Dara').arrive();
  const { page } = dara;
  const path = `/orgs/${org.id}/guilds/${id}/bot`;
  const state = async () => {
    const { bot } = await dara.read(path);
    // It works without the members intent, and its card says what that is for.
    return bot?.status === 'online' ? 'online' : (bot?.reason ?? bot?.status);
  };

  await dara.open(path);
  await page.getByText('Not added').waitFor();
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-none');
  await page.getByRole('button', { name: /Add Custom Bot/ }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.waitForURL(/\/billing/);
  await becomes(async () => (await dara.read(path)).access, 'subscribed', 'it was paid for');

  const token = await application(world, 'Camp Keeper');
  await dara.open(path);
  await dara.fill('Token', `${token.slice(0, -4)}oops`);
  await dara.click('Save token');
  await page.getByText(/Discord doesn’t accept|not accept/).first().waitFor();
  // Discord is shown one token of a Guild every two seconds.
  await page.waitForTimeout(2_000);
  await dara.fill('Token', token);
  await dara.click('Save token');
  await page.getByText('Allocating dedicated bot host').waitFor();
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-starting');
  await becomes(state, 'not_in_guild', 'it waits for its invitation');
  const invitation = page.getByRole('link', { name: /Add your bot/ });
  await invitation.waitFor();
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-outside');
  const [discord] = await Promise.all([dara.context.waitForEvent('page'), invitation.click()]);
  await discord.click(`button[name="as"][value="${dara.id}"]`);
  await becomes(state, 'online', 'it goes on by itself');
  await page.getByText('Online', { exact: true }).first().waitFor();
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-online');
  assert.ok(!(await page.content()).includes(token), 'the token is not on the page');
  assert.ok(!JSON.stringify(await dara.read(path)).includes(token));
  await becomes(async () => (await dara.read(path)).shared.serving, false, 'it works in the place of the shared bot');
  await page.setViewportSize({ width: 375, height: 800 });
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-phone');

  await dara.click('Remove bot');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove bot' }).waitFor();
  await dara.look(SYMBOLON_TEST_PICTURES, 'custom-bot-remove');
  await dara.leave();
  assert.deepEqual(dara.findings, []);
});
