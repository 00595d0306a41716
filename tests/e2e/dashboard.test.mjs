// The dashboard by clicking: from nothing to a game server that calls the API, a team of two, and a look at every screen.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { startSandbox } from './sandbox.mjs';
import { becomes, rest, until } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let sandbox;
let browser;
let world;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  ({ world } = sandbox);
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

const count = async (key) => {
  const reply = await fetch(`${world.base_url}/api?action=count`, { headers: { 'x-api-key': key } });
  return [reply.status, await reply.json()];
};

test('an Org, a Guild, a Server, its key, a call with it, and a new key that ends the old one', async () => {
  const gia = await new Member(browser, world, 'Gia').arrive();
  const { page } = gia;
  await gia.open('/new');
  await gia.fill('Name', "Gia's community");
  await becomes(() => page.getByLabel('Short name', { exact: true }).inputValue(), 'gia-s-community');
  await gia.click('Create organisation');
  await page.waitForURL(/\/app\/orgs\/org_/);
  const org = page.url().match(/org_\w+/)[0];

  await gia.open(`/orgs/${org}/guilds/new`);
  await gia.click('Continue with Discord');
  await gia.choose();
  await page.waitForURL(`${world.base_url}/app/orgs/${org}/guilds/new`);
  await page.getByText("Gia's Outpost").click();
  await gia.fill('Short name', 'outpost');
  await page.getByRole('button', { name: 'Add Guild' }).click();
  await gia.heading("Added Gia's Outpost");
  assert.equal((await fetch(`${world.base_url}/link/outpost`)).status, 200);

  await gia.open(`/orgs/${org}/servers`);
  await page.getByRole('button', { name: 'Add Server' }).first().click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Outpost EU');
  await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
  await gia.heading('Added Outpost EU');
  await gia.click('Open Server', 'link');
  await gia.heading('Outpost EU');

  const key = async () => (await page.getByText(/^svc_live_[0-9a-f]{48}$/).first().innerText()).trim();
  await page.getByRole('button', { name: /^Reveal/ }).click();
  const first = await key();
  assert.deepEqual(await count(first), [200, { Total: 0 }]);
  await gia.click('Regenerate');
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click();
  await page.getByText(first).waitFor({ state: 'detached' });
  const second = await key();
  assert.notEqual(second, first);
  assert.equal((await count(first))[0], 401);
  assert.deepEqual(await count(second), [200, { Total: 0 }]);

  // The use of an old key is recorded after its answer.
  const isRecorded = async () => (await gia.read(`/api/orgs/${org}/audit`)).entries?.some(({ action }) => action === 'key.retired_used');
  await until(isRecorded, 'the old key to be in the audit log');
  await gia.open(`/orgs/${org}/audit`);
  await page.getByRole('row').filter({ hasText: "Gia added the Guild Gia's Outpost" }).waitFor();
  await page.getByRole('combobox', { name: 'About' }).click();
  await page.getByRole('option', { name: /^Outpost EU/ }).click();
  await page.getByText('4 entries in total').waitFor();
  assert.deepEqual(await page.locator('tbody td:nth-child(2)').allInnerTexts(), ['Someone tried an old key of Outpost EU', 'Gia regenerated the key of Outpost EU', 'Gia revealed the key of Outpost EU', 'Gia added the Server Outpost EU']);
  assert.deepEqual(gia.findings, []);
  await gia.leave();
});

test('a Discord server without the bot is claimed to the end', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const org = world.orgs.find(({ name }) => name === 'Quiet Harbour').id;
  await ada.open(`/orgs/${org}/guilds/new`);
  await ada.click('Continue with Discord');
  await page.click(`button[name="as"][value="${ada.id}"]`);
  await page.waitForURL(`${world.base_url}/app/orgs/${org}/guilds/new`);
  await page.getByText("Harbour Lights").click();
  await page.getByRole('button', { name: 'Add Guild' }).click();
  await page.getByRole('alert').filter({ hasText: 'The bot isn’t in this server yet' }).waitFor();
  const [discord] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: /^Add the bot/ }).click()]);
  await discord.click(`button[name="as"][value="${ada.id}"]`);
  await discord.getByRole('heading', { name: 'Symbolon was added to the server' }).waitFor();
  await discord.close();
  // What Discord said before the bot came counts for five seconds.
  await fetch(`${world.control}/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"advance_ms":5000}' });
  await page.getByRole('button', { name: 'I’ve added it, try again' }).click();
  await ada.heading("Added Harbour Lights");
  assert.equal((await fetch(`${world.base_url}/link/harbour-lights`)).status, 200);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('somebody is invited in a second browser, and what they may do changes on their next request', async () => {
  const [org] = world.orgs;
  const ada = await new Member(browser, world, 'Ada').arrive();
  await ada.open(`/orgs/${org.id}/team?tab=invites`);
  await ada.page.getByRole('button', { name: 'Create invite' }).first().click();
  await ada.page.getByRole('dialog').getByText('Staff', { exact: true }).click();
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Create invite' }).click();
  const link = ada.page.getByRole('dialog', { name: 'Invite link', exact: true });
  const address = await link.getByText(/\/invite\/[\w-]{43}/).first().innerText();
  const code = address.match(/\/invite\/[\w-]{43}/)[0];

  const hugo = new Member(browser, world, 'Hugo');
  hugo.context = await browser.newContext();
  hugo.page = await hugo.context.newPage();
  await hugo.page.goto(world.base_url + code);
  assert.match(await hugo.page.locator('main').innerText(), /Ashfall Network[\s\S]*Ada invites you[\s\S]*Staff[\s\S]*View links[\s\S]*works until/);
  await hugo.page.click('text=Sign in with Discord to join');
  await hugo.choose();
  await hugo.page.waitForURL(world.base_url + code);
  await hugo.page.click('text=Join Ashfall Network');
  await hugo.page.waitForURL(`${world.base_url}/app/orgs/${org.id}`);
  await hugo.page.goto(world.base_url + code);
  await hugo.page.getByRole('link', { name: 'Open Ashfall Network' }).click();
  await hugo.page.waitForURL(`${world.base_url}/app/orgs/${org.id}`);
  const audit = `/api/orgs/${org.id}/audit`;
  assert.equal(await hugo.status(audit), 403);

  await ada.open(`/orgs/${org.id}/team`);
  const toggle = ada.page.getByRole('switch', { name: /audit log, Hugo/i }).first();
  const saved = async (toggle) => {
    await Promise.all([ada.page.waitForResponse((reply) => reply.request().method() === 'PATCH' && reply.ok()), toggle.click()]);
    await rest(ada.page);
  };
  await saved(toggle);
  assert.equal(await hugo.status(audit), 200);
  await saved(toggle);
  assert.equal(await hugo.status(audit), 403);
  await hugo.leave();
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('a custom key is made, revoked, and only then removed from the list', async () => {
  const [org] = world.orgs;
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const dialog = page.getByRole('dialog');
  await ada.open(`/orgs/${org.id}/keys`);
  for (const name of ['Poll bot', 'Other bot']) {
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByRole('checkbox', { name: 'Lookup' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('heading', { name: `Created ${name}` }).waitFor();
    if (name === 'Poll bot') ada.key = (await dialog.getByText(/^svc_live_[0-9a-f]{48}$/).innerText()).trim();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  const named = (word) => page.getByRole('button', { name: `${word} Poll bot` });
  const closed = () => dialog.waitFor({ state: 'detached' });
  const listed = async () => (await page.getByRole('listitem').getByRole('heading', { level: 3 }).allInnerTexts()).filter((name) => / bot$/.test(name)).sort();
  assert.equal((await count(ada.key))[0], 200);
  assert.equal(await named('Remove').count(), 0, 'a key in use is not removed by one click');

  await named('Revoke').click();
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await named('Remove').waitFor();
  await closed();
  assert.equal(await page.getByRole('button', { name: /^Remove .* bot$/ }).count(), 1, 'the other one is still in use');
  assert.equal((await count(ada.key))[0], 403);
  assert.deepEqual(await listed(), ['Other bot', 'Poll bot']);

  await named('Remove').click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await closed();
  assert.deepEqual(await listed(), ['Other bot', 'Poll bot']);
  await named('Remove').click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Removed Poll bot').first().waitFor();
  await named('Remove').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Revoke Other bot' }).waitFor();
  assert.deepEqual(await listed(), ['Other bot']);
  assert.equal((await count(ada.key))[0], 401);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('buttons of the link page are put in another order by keyboard', async () => {
  const [org] = world.orgs;
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  await ada.open(`/orgs/${org.id}/link-page`);
  await page.getByRole('button', { name: 'Add button' }).first().waitFor();
  const seeded = await page.getByLabel('Label').count();
  for (const [index, label] of ['Map', 'Forum', 'News'].entries()) {
    await page.getByRole('button', { name: 'Add button' }).first().click();
    await page.getByLabel('Label').nth(seeded + index).fill(label);
    await page.getByLabel('URL').nth(seeded + index).fill(`https://example.com/${label.toLowerCase()}`);
  }
  await page.getByRole('button', { name: 'Reorder News' }).focus();
  for (const key of ['Space', 'ArrowUp', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  await page.getByText(`Dropped News, position ${seeded + 1} of ${seeded + 3}.`).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
  const html = await (await fetch(`${world.base_url}/link/ashfall-rust`)).text();
  const places = ['news', 'map', 'forum'].map((name) => html.indexOf(`https://example.com/${name}`));
  assert.ok(places.every((place, index) => place > 0 && (index === 0 || place > places[index - 1])), `${places}`);
  assert.match(html, /href="https:\/\/example\.com\/news" target="_blank" rel="noopener noreferrer"/);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('a link page gets another colour, and its preview is the page itself in both themes', async () => {
  const [org] = world.orgs;
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  await ada.open(`/orgs/${org.id}/link-page`);
  const frame = page.frameLocator('iframe');
  const root = frame.locator('html');
  const shows = (accent, theme) => frame.locator(`html[data-accent="${accent}"][data-theme="${theme}"]`).waitFor({ state: 'attached' });
  // A frame that is still being drawn has no colour yet.
  const ground = async () => {
    const colour = () => root.evaluate((html) => html.ownerDocument.body && getComputedStyle(html.ownerDocument.body).backgroundColor);
    await until(async () => !['', null, 'rgba(0, 0, 0, 0)'].includes(await colour()), 'the frame to be drawn');
    return colour();
  };
  await shows('violet', 'light');
  const light = await ground();
  const steps = await page.evaluate(() => history.length);
  await page.getByLabel('Link page', { exact: true }).selectOption({ label: 'Ashfall Creative' });
  await frame.getByText('Ashfall Creative').waitFor();
  await page.getByLabel('Pink', { exact: true }).check();
  await shows('pink', 'light');
  await ada.click('Dark');
  await shows('pink', 'dark');
  assert.notEqual(await ground(), light, 'the frame has the theme that was chosen, not that of the dashboard');
  await page.getByLabel('Label').first().fill('Rules');
  await frame.getByText('Rules', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => history.length), steps, 'looking leaves nothing to go back to');
  assert.match(await (await fetch(`${world.base_url}/link/ashfall-creative`)).text(), /data-accent="teal"/, 'nothing is saved yet');
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await shows('teal', 'dark');
  await page.getByLabel('Pink', { exact: true }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
  const [creative, rust] = await Promise.all(['creative', 'rust'].map(async (name) => (await fetch(`${world.base_url}/link/ashfall-${name}`)).text()));
  assert.match(creative, /data-accent="pink"/);
  assert.match(rust, /data-accent="violet"/);
  assert.deepEqual(await page.evaluate(() => globalThis.breaches), []);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('every screen is whole on a phone and on a desk, in both themes', async () => {
  const [org] = world.orgs;
  const [guild] = org.guilds;
  const base = `/orgs/${org.id}`;
  const screens = {
    orgs: '/',
    new: '/new',
    overview: base,
    guilds: `${base}/guilds`,
    claim: `${base}/guilds/new`,
    guild: `${base}/guilds/${guild.id}`,
    'custom-bot': `${base}/guilds/${guild.id}/bot`,
    servers: `${base}/servers`,
    server: `${base}/servers/${guild.servers[0].id}`,
    plugin: `${base}/plugin?server=${guild.servers[0].id}`,
    analytics: `${base}/analytics`,
    billing: `${base}/billing`,
    roles: `${base}/roles`,
    import: `${base}/import`,
    keys: `${base}/keys`,
    team: `${base}/team`,
    invites: `${base}/team?tab=invites`,
    'link-page': `${base}/link-page`,
    cleanup: `${base}/cleanup`,
    audit: `${base}/audit`,
    settings: `${base}/settings`,
    account: '/account',
    missing: '/nothing-here',
  };
  const seen = [];
  for (const width of [375, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      const ada = await new Member(browser, world, 'Ada').arrive({ width, colorScheme });
      for (const [name, path] of Object.entries(screens)) {
        await ada.open(path);
        await ada.look(SYMBOLON_TEST_PICTURES, `dashboard-${name}-${width}-${colorScheme}`);
      }
      seen.push(...ada.findings);
      await ada.leave();
    }
  }
  assert.deepEqual(seen, []);
});

test('a member without a permission is told which one, and a closed dashboard shows its card', async () => {
  const [org] = world.orgs;
  const chen = await new Member(browser, world, 'Chen').arrive();
  await chen.open(`/orgs/${org.id}/audit`);
  await chen.page.getByRole('main').getByText(/audit\.view/).first().waitFor();
  assert.equal(await chen.page.getByRole('link', { name: 'Audit log' }).count(), 0, 'what they cannot open is not offered');
  assert.deepEqual(chen.findings, []);

  const admin = (...words) => promisify(execFile)(SYMBOLON_TEST_BINARY, ['admin', ...words, '--data', sandbox.data]);
  const ada = await new Member(browser, world, 'Ada').arrive();
  await admin('maintenance', 'on', '--message', 'Back at noon.');
  await ada.open('/');
  await ada.heading('Your organisations');
  await chen.page.goto(`${world.base_url}/app/`);
  assert.match(await chen.page.locator('main').innerText(), /Back at noon\./);
  assert.equal((await fetch(`${world.base_url}/link/ashfall-rust`)).status, 200);
  assert.equal((await count(org.guilds[0].servers[0].key))[0], 200);
  await admin('maintenance', 'off');
  await chen.open('/');
  await chen.heading('Your organisations');
  await chen.leave();
  await ada.leave();
});
