// A role and a group that follow each other: the rule by clicking in the dashboard, the link on the link page, the role in
// the emulated Discord, and the game server over the plugin API.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { Visitor } from './pages.mjs';
import { guild, person, startSandbox } from './sandbox.mjs';
import { PATIENCE_MS, until } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const SLUG = 'ashfall-creative';

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

const plugin = async (world, call) => {
  const [{ key }] = guild(world, SLUG).servers;
  const reply = await fetch(`${world.base_url}/api?action=${call}`, { headers: { 'x-api-key': key } });
  assert.equal(reply.status, 200, call);
  return reply.text();
};

const waiting = async (world, steamId) => JSON.parse(await plugin(world, `getPendingOxideChangesBulk&id=${steamId}`))[steamId] ?? [];

// Says how long it took until it was so.
async function waited(condition, what) {
  const begun = Date.now();
  await until(condition, what);
  return Date.now() - begun;
}

// The members of the emulated Discord server in a window of their own.
async function windowOf(world, { discord_id: id }) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const open = () => page.goto(`${new URL(world.discord.control).origin}/guilds/${guild(world, SLUG).discord_guild_id}?find=${id}`);
  await open();
  const has = async (name) => {
    await open();
    return (await page.getByRole('button', { name: `${name} ✕` }).count()) === 1;
  };
  const give = async (name) => {
    await page.getByLabel('Give').selectOption({ label: name });
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Give', exact: true }).click()]);
  };
  const join = () => Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Join', exact: true }).click()]);
  return { page, has, give, join };
}

async function addRule(world) {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const org = world.orgs.find((org) => org.guilds.some(({ slug }) => slug === SLUG));
  const [{ id: server }] = guild(world, SLUG).servers;
  await ada.open(`/orgs/${org.id}/servers/${server}/roles`);
  await page.getByRole('button', { name: 'Add rule' }).first().click();
  const rule = page.getByRole('group', { name: 'Rule 1', exact: true });
  await rule.getByLabel('Group', { exact: true }).fill('vip');
  await page.keyboard.press('Tab');
  await rule.getByRole('combobox', { name: 'Discord role' }).fill('VIP');
  await page.getByRole('option', { name: 'VIP' }).click();
  await rule.getByLabel('Direction').selectOption('to_game');
  await page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/roles-rule.png`, fullPage: true });
  await page.getByRole('button', { name: 'Review changes', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Review changes' });
  await dialog.getByText('Would add', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  return { ada, org };
}

test('a link gives a role, a role gives a group, and the end of the link takes both', async () => {
  const { world } = sandbox;
  const gia = person(world, 'Gia');
  const { ada, org } = await addRule(world);
  const discord = await windowOf(world, gia);
  await discord.join();
  const visitor = new Visitor(browser, world.base_url, 375, SYMBOLON_TEST_PICTURES);
  await visitor.arrive();
  await visitor.open(`/link/${SLUG}`);
  await visitor.signIn('discord', 'link', SLUG, gia.discord_id);
  await visitor.signIn('steam', 'link', SLUG, gia.steam_id);
  await visitor.press('verify');
  console.log(`the role was seen after ${await waited(() => discord.has('Linked'), 'the role of everybody who is linked')} ms`);
  await discord.give('VIP');
  const asked = async () => (await waiting(world, gia.steam_id)).some(({ group, action }) => group === 'vip' && action === 'add');
  console.log(`the group was waiting after ${await waited(asked, 'the change for the plugin')} ms`);
  await plugin(world, `clearPendingOxideChangesBulk&id=${gia.steam_id}`);
  await plugin(world, `updateOxideGroups&id=${gia.steam_id}&groups=default,vip`);
  await visitor.open(`/unlink/${SLUG}`);
  await visitor.signIn('steam', 'unlink', SLUG, gia.steam_id);
  await visitor.press('confirm');
  console.log(`the role was gone after ${await waited(async () => !(await discord.has('Linked')), 'the end of the role')} ms`);
  const taken = await waiting(world, gia.steam_id);
  assert.deepEqual(taken.map(({ group, action }) => [group, action]), [['vip', 'remove']]);
  assert.ok(await discord.has('VIP'), 'what somebody was given by hand is theirs');
  await ada.open(`/orgs/${org.id}/guilds/${guild(world, SLUG).id}/role-history?member=${gia.discord_id}`);
  for (const text of ['Linked', 'vip']) await ada.page.getByRole('table').getByText(text).first().waitFor();
  await ada.page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/roles-history.png`, fullPage: true });
  assert.deepEqual(ada.findings, []);
  await visitor.leave();
  await discord.page.close();
});
