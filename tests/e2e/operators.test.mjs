// What operators do, by clicking on the real service: they announce, block, visit and sign everyone out.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { person, startSandbox } from './sandbox.mjs';
import { becomes, rest } from './waiting.mjs';

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

test('an operator announces, blocks, visits and signs everyone out', async () => {
  const { world } = sandbox;
  const org = world.orgs.find(({ slug }) => slug === 'tiny-camp');
  const ada = await new Member(browser, world, 'Ada').arrive();
  const dara = await new Member(browser, world, 'Dara').arrive();
  const { page } = ada;
  const dialog = page.getByRole('dialog');
  const press = (name) => page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
  const agree = (name) => dialog.getByRole('button', { name, exact: true }).click();

  // Everyone reads it until they dismiss it.
  await ada.open('/admin/announcements');
  await press('Create announcement');
  await dialog.getByLabel('Text', { exact: true }).fill('Planned work on Sunday night.');
  await dialog.getByLabel('Severity', { exact: true }).selectOption('warning');
  await agree('Create announcement');
  await page.getByText('Created the announcement').waitFor();
  await rest(page);
  await ada.look(SYMBOLON_TEST_PICTURES, 'operator-announcements');
  await dara.open('/');
  const shown = dara.page.getByRole('region', { name: 'Announcements' });
  await shown.getByText('Planned work on Sunday night.').waitFor();
  await shown.getByRole('button', { name: 'Dismiss' }).click();
  await shown.waitFor({ state: 'detached' });
  await dara.open('/');
  assert.equal(await shown.count(), 0, 'it stays away');

  // Whoever is blocked gets no further than the way back from Discord.
  const hugo = person(world, 'Hugo').discord_id;
  await ada.open('/admin/blocklist');
  await press('Add block');
  await dialog.getByLabel('Discord ID', { exact: true }).fill(hugo);
  await dialog.getByLabel('Reason', { exact: true }).fill('ban evasion');
  await agree('Add block');
  await page.getByText(`Blocked ${hugo}`).waitFor();
  await ada.look(SYMBOLON_TEST_PICTURES, 'operator-blocklist');
  const outside = await browser.newContext();
  const refused = await outside.newPage();
  await refused.goto(`${world.base_url}/app/`);
  await refused.click(`button[name="as"][value="${hugo}"]`);
  await refused.waitForURL(/\/auth\/discord\/login\/callback/);
  assert.match(await refused.locator('body').innerText(), /blocked|can’t sign in|cannot sign in/i);
  assert.equal((await outside.request.get(`${world.base_url}/api/account`)).status(), 401);
  await outside.close();

  // The team reads that somebody is there, and why.
  await ada.open(`/admin/orgs/${org.id}`);
  await press('Begin visit');
  await dialog.getByLabel('Reason', { exact: true }).fill('Ticket 4711');
  await agree('Begin visit');
  await page.waitForURL(`${world.base_url}/app/orgs/${org.id}`);
  await page.getByRole('region', { name: 'Notices' }).getByText(/You’re visiting/).waitFor();
  await rest(page);
  await ada.look(SYMBOLON_TEST_PICTURES, 'operator-visiting');
  assert.equal(await ada.status(`/api/orgs/${org.id}/team`), 403);
  await dara.open(`/orgs/${org.id}`);
  await dara.page.getByText(/An operator is visiting your organisation to look only.*Ticket 4711/).waitFor();
  await page.getByRole('button', { name: /^End visit/ }).click();
  await page.waitForURL(new RegExp(`/admin/orgs/${org.id}$`));
  assert.equal(await ada.status(`/api/orgs/${org.id}/servers`), 404);
  await dara.open(`/orgs/${org.id}`);
  assert.equal(await dara.page.getByText(/An operator is visiting/).count(), 0);

  // One change for everybody, and whoever makes it stays.
  await ada.open('/admin/sessions');
  await ada.look(SYMBOLON_TEST_PICTURES, 'operator-sessions');
  await press('Sign out everyone but me');
  await dialog.getByLabel(/Type sign out everyone/).fill('sign out everyone');
  await agree('Sign out everyone but me');
  await page.getByText('Signed out everyone else').waitFor();
  await becomes(() => dara.status('/api/account'), 401, 'everyone else is out');
  assert.equal(await ada.status('/api/account'), 200);

  // All of it is in their own log, by name.
  await ada.open('/admin/audit');
  const told = await page.locator('tbody td:nth-child(2)').allInnerTexts();
  for (const sentence of ['Ada signed everyone out but themselves', 'Ada blocked an account or a network', 'Ada made an announcement']) {
    assert.ok(told.includes(sentence), `${sentence}: ${told.join(' | ')}`);
  }
  const name = (await ada.read(`/api/admin/orgs/${org.id}`)).name;
  assert.ok(told.includes(`Ada of the operators began a visit in ${name} (Ticket 4711)`), told.join(' | '));
  await ada.look(SYMBOLON_TEST_PICTURES, 'operator-audit');
  assert.deepEqual(ada.findings, []);
  await ada.leave();
  await dara.leave();
});
