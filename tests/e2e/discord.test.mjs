// What follows a link on Discord: by clicking on the link page, in the dashboard and in the emulated Discord.

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

// A channel of the emulated Discord in a window of its own.
async function channelOf(world, id) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${new URL(world.discord.control).origin}/channels/${id}`);
  return page;
}

// Reloads until the text is there, and says how long that took.
async function shows(page, text) {
  const begun = Date.now();
  const isThere = async () => (await page.locator('main').innerText()).includes(text);
  await until(async () => (await isThere()) || (await page.reload(), await isThere()), `${text} in the channel`);
  return Date.now() - begun;
}

// The bot hears what people do there, and its commands are known.
async function botListens(world, page) {
  const listens = async () => (await (await fetch(`${world.discord.control}/gateway`)).json()).sessions.some(({ connected }) => connected);
  await until(listens, 'the bot to be connected');
  const offers = async () => (await page.locator('#bot').textContent()).includes('/panel');
  await until(async () => (await offers()) || (await page.reload(), await offers()), 'the commands of the bot');
}

test('a link that is clicked shows in the log channel, and its end too', async () => {
  const { world } = sandbox;
  const kai = person(world, 'Gia');
  const log = await channelOf(world, guild(world, SLUG).log_channel_id);
  const visitor = new Visitor(browser, world.base_url, 375, SYMBOLON_TEST_PICTURES);
  await visitor.arrive();
  await visitor.open(`/link/${SLUG}`);
  await visitor.signIn('discord', 'link', SLUG, kai.discord_id);
  await visitor.signIn('steam', 'link', SLUG, kai.steam_id);
  await visitor.press('verify');
  console.log(`the green message was seen after ${await shows(log, kai.discord_id)} ms`);
  for (const text of ['Linked', `<@${kai.discord_id}>`, 'Gia', `https://steamcommunity.com/profiles/${kai.steam_id}`, 'Country']) {
    assert.ok((await log.locator('article').last().innerText()).includes(text), text);
  }
  await visitor.open(`/unlink/${SLUG}`);
  await visitor.signIn('steam', 'unlink', SLUG, kai.steam_id);
  await visitor.press('confirm');
  console.log(`the red message was seen after ${await shows(log, 'Unlinked')} ms`);
  assert.match(await log.locator('article').last().innerText(), /Cause\s+user\s+Linked for\s+less than a minute/);
  await log.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/discord-log.png`, fullPage: true });
  await visitor.leave();
  await log.close();
});

test('the panel is posted by a command, and its button shows the way to whoever presses it alone', async () => {
  const { world } = sandbox;
  const [ada, member] = ['700000000000000000', '700000000000000003'];
  const page = await channelOf(world, '811000000000000002');
  const send = async (who, command) => {
    await page.selectOption('#who', who);
    await page.fill('#command', command);
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Send' }).click()]);
  };
  await botListens(world, page);
  await send(member, '/panel');
  await shows(page, 'org.settings');
  await send(ada, '/panel');
  await shows(page, 'The panel is posted.');
  await shows(page, 'Link your Steam account');
  await page.goto(`${page.url().split('?')[0]}?as=${member}`);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Verify' }).first().click()]);
  await shows(page, 'Open the link page');
  assert.equal(await page.getByRole('link', { name: 'Open the link page' }).first().getAttribute('href'), `${world.base_url}/link/${SLUG}`);
  await page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/discord-panel.png`, fullPage: true });
  await page.close();
});

test('the page of a Guild shows its bot, and a channel is chosen by name and tried out', async () => {
  const { world } = sandbox;
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const org = world.orgs.find((org) => org.guilds.some(({ slug }) => slug === SLUG));
  const { id, log_channel_id: channel } = guild(world, SLUG);
  await ada.open(`/orgs/${org.id}/guilds/${id}`);
  await page.getByText('In the Discord server', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send a test message' }).click();
  await page.getByText('The test message is in the channel.').waitFor();
  const log = await channelOf(world, channel);
  await shows(log, 'Test message');
  await log.close();
  await page.screenshot({ path: `${SYMBOLON_TEST_PICTURES}/guild-bot.png`, fullPage: true });
  // Somebody kicks the bot.
  const state = await (await fetch(`${world.discord.control}/state`)).json();
  const { discord_guild_id: server } = guild(world, SLUG);
  const [bot] = Object.keys(state.applications);
  const kicked = await fetch(`${world.discord.control}/state`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ guilds: { [server]: { members: { [bot]: null } } } }),
  });
  assert.ok(kicked.ok, await kicked.text());
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Not in the Discord server', { exact: true }).waitFor();
  assert.match(await page.getByRole('link', { name: /Add the bot/ }).getAttribute('href'), /permissions=402672641/);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});
