// Choosing roles and channels of a Discord server, and the card of its bot. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, rest, settled } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { kicked, onDiscord } from '../fixtures-discord.mjs';
import { wrongWith } from '../screens.mjs';

const GUILD = '/orgs/o1/guilds/g1';
const LOG = '814513381600264111';
const GENERAL = '814513381600264112';
const STRANGE = '999513381600264777';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const channel = (page) => page.getByLabel('Log Channel ID');
const roles = (page, name) => page.getByRole('combobox', { name });
const chips = (page, name) => page.getByRole('list', { name, exact: true }).getByRole('listitem');
/** What a screen reader is led to. */
const active = (page, there, message) =>
  becomes(() => page.evaluate(() => document.getElementById(document.activeElement.getAttribute('aria-activedescendant') ?? '')?.innerText.split('\n')[0] ?? null), there, message);
const focused = (locator, message) => becomes(() => locator.evaluate((element) => element === document.activeElement), true, message);
const holds = (field, text) => becomes(() => field.inputValue(), text);
const closed = (page) => page.getByRole('listbox').waitFor({ state: 'detached' });
/** Saves, and returns what was sent. */
async function saved(page) {
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const body = (await sent).postDataJSON();
  await rest(page);
  return body;
}

test('a channel is chosen by its name, with arrows, Home, End, letters and Enter', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = channel(page);
  await holds(field, '#link-log');
  await field.focus();
  await settled(page);
  assert.equal(await page.getByRole('listbox').count(), 0, 'the focus alone opens nothing');
  await page.keyboard.press('ArrowDown');
  await active(page, '#link-log');
  for (const [key, there] of [['Home', '#rules'], ['ArrowUp', '#staff-only'], ['ArrowDown', '#rules'], ['ArrowDown', '#general'], ['End', '#staff-only'], ['PageUp', '#rules']]) {
    await page.keyboard.press(key);
    await active(page, there, key);
  }
  await field.fill('gen');
  await active(page, '#general');
  await page.keyboard.press('Enter');
  await closed(page);
  await focused(field);
  await holds(field, '#general');
  assert.equal((await saved(page)).log_channel_id, GENERAL);
  await leave();
});

test('channels stand under their categories, and those that cannot be used say why and are not taken', async () => {
  const { page, leave } = await on.visit(GUILD);
  await channel(page).click();
  const shown = await page.getByRole('listbox', { name: 'Channels' }).innerText();
  assert.deepEqual(shown.split('\n').filter(Boolean), [
    '#rules', 'The bot can’t post in it. Give it Send Messages there.',
    'Community', '#general', '#off-topic', 'The bot can’t post embeds in it. Give it Embed Links there.',
    'Staff', '#link-log', '#staff-only', 'The bot can’t see it. Give it View Channel there.',
  ]);
  assert.equal(await page.getByRole('group', { name: 'Staff' }).getByRole('option').count(), 2);
  assert.equal(await page.getByRole('listbox').getByRole('option', { selected: true }).innerText(), '#link-log');
  const rules = page.getByRole('option', { name: '#rules' });
  assert.equal(await rules.getAttribute('aria-disabled'), 'true');
  await rules.click({ force: true });
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(await page.getByRole('listbox').count(), 1);
  await page.keyboard.press('Escape');
  await closed(page);
  await holds(channel(page), '#link-log');
  await leave();
});

test('Escape puts back what was there, keeps the focus, and leaves nothing to save', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = channel(page);
  await field.fill('');
  await page.getByText('You have unsaved changes.').waitFor();
  await field.fill('off');
  await page.keyboard.press('Escape');
  await closed(page);
  await holds(field, '#link-log');
  await focused(field);
  await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  await leave();
});

test('a pasted mention becomes its channel, an unknown id is kept and told, and nothing switches the log off', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = channel(page);
  await field.fill(`<#${GENERAL}>`);
  await page.keyboard.press('Tab');
  await holds(field, '#general');
  await field.fill(STRANGE);
  await page.keyboard.press('Enter');
  await closed(page);
  await page.getByText('Not found in this Discord server.').first().waitFor();
  assert.match(await field.evaluate((element) => element.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ')), /Not found/);
  assert.equal((await saved(page)).log_channel_id, STRANGE);
  await field.fill('');
  assert.equal((await saved(page)).log_channel_id, null);
  await leave();
});

test('what is no channel is not lost, told at the field, and not saved', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = channel(page);
  await field.fill('nowhere');
  await page.getByText('No channel matches.').waitFor();
  await page.keyboard.press('Tab');
  await becomes(() => field.getAttribute('aria-invalid'), 'true');
  assert.equal(await field.inputValue(), 'nowhere');
  await becomes(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
  await leave();
});

test('roles are chosen one after the other, the highest first, and taken out again', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = roles(page, 'Verified roles');
  await field.press('ArrowDown');
  await page.getByRole('listbox').waitFor();
  const names = (await page.getByRole('listbox').getByRole('option').allInnerTexts()).map((text) => text.split('\n')[0]);
  assert.deepEqual(names.slice(0, 5), ['Owner', 'Symbolon', 'Server Booster', 'Verified', 'VIP']);
  assert.equal(await page.getByRole('option', { name: 'Old VIP' }).count(), 0);
  await field.fill('cafe');
  await page.keyboard.press('Enter');
  await field.fill('vip');
  await page.keyboard.press('Enter');
  await focused(field);
  await becomes(() => chips(page, 'Verified roles').allInnerTexts().then((all) => all.map((text) => text.split('\n')[0].trim())), ['Verified', 'Café regular', 'VIP']);
  await active(page, 'VIP');
  await page.keyboard.press('Enter');
  await becomes(() => chips(page, 'Verified roles').count(), 2);
  await page.keyboard.press('Escape');
  await closed(page);
  await focused(field);
  await chips(page, 'Verified roles').getByRole('button', { name: 'Remove Verified' }).press('Enter');
  await focused(field);
  assert.deepEqual((await saved(page)).verified_roles, ['914513381600264014']);
  await leave();
});

test('a role that nobody can give cannot be chosen, for boosters neither', async () => {
  const { page, leave } = await on.visit(GUILD);
  const booster = page.getByRole('option', { name: 'Server Booster' });
  for (const list of ['Verified roles', 'Booster roles']) {
    await roles(page, list).fill('booster');
    await becomes(() => booster.getAttribute('aria-disabled'), 'true');
    await active(page, null);
    await page.keyboard.press('Escape');
  }
  await roles(page, 'Booster roles').fill('VIP');
  await page.keyboard.press('Enter');
  assert.deepEqual((await saved(page)).booster_roles, ['914513381600264003']);
  await leave();
});

test('deleted roles keep their name, unknown ones their id, and both say so', async () => {
  const { page, leave } = await on.visit(GUILD);
  const texts = (await chips(page, 'Roles plugins can grant').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  assert.deepEqual(texts.map((text) => text.replace(/ ?Remove .*/, '')), ['VIP', 'Old VIP Deleted on Discord.', '999513381600264404 Not found in this Discord server.']);
  await leave();
});

test('pasted lists and mentions of roles are added at once, and what is none stays to be put right', async () => {
  const { page, leave } = await on.visit(GUILD);
  const field = roles(page, 'Verified roles');
  await field.focus();
  await page.evaluate(async ([text]) => {
    const data = new DataTransfer();
    data.setData('text', text);
    const field = document.activeElement;
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
  }, [`<@&914513381600264003>, 914513381600264014 nobody`]);
  await becomes(() => chips(page, 'Verified roles').count(), 3);
  await holds(field, 'nobody');
  await page.getByText('Not an ID: nobody.').waitFor();
  await page.keyboard.press('Tab');
  await page.getByText('No role is called nobody.').waitFor();
  await leave();
});

test('where nothing is known, ids are pasted into plain fields that say why, and names follow when they arrive', async () => {
  const { page, leave } = await on.visit(GUILD, { world: 'unseen' });
  await page.getByText('Not checked yet').waitFor();
  await page.getByText('The bot hasn’t looked at this Discord server yet.').first().waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Log Channel ID' }).count(), 0);
  const field = channel(page);
  await holds(field, LOG);
  await field.focus();
  await page.route(`**/api${GUILD}/discord`, (route) => route.fulfill({ json: onDiscord }));
  await page.getByText('In the Discord server', { exact: true }).waitFor();
  await holds(field, '#link-log');
  await focused(field, 'the field stays the same one');
  await leave();
});

test('a kicked bot is to be added again, and what was chosen keeps its names', async () => {
  const { page, leave } = await on.visit(GUILD, { world: 'kicked' });
  await page.getByText('Not in the Discord server').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Add the bot' }).getAttribute('href'), kicked.invite_url);
  assert.equal(await page.getByText('Missing:').count(), 0);
  assert.match((await chips(page, 'Verified roles').allInnerTexts()).join(), /^Verified/);
  await page.getByText('This was #link-log.').waitFor();
  await leave();
});

test('what the bot lacks is named with the link that adds it, and an unreachable channel with what to do', async () => {
  const { page, leave } = await on.visit(GUILD, { world: 'lacking' });
  await page.getByText('The bot is missing Embed Links and Manage Roles.').waitFor();
  assert.match(await page.getByRole('link', { name: 'Grant missing permissions' }).getAttribute('href'), /^https:.*permissions=/);
  await page.getByText('Log messages aren’t arriving. Discord knows no such channel.').waitFor();
  await holds(channel(page), '#old-log');
  await page.getByText('Deleted on Discord. Choose another channel.').waitFor();
  await leave();
});

test('Check again has the bot look, waits for what it finds, and keeps the focus', async () => {
  const { page, leave } = await on.visit(GUILD, { world: 'kicked' });
  const look = page.getByRole('button', { name: 'Check again' });
  let asked = false;
  await page.route(`**/api${GUILD}/discord`, (route) => {
    if (route.request().method() === 'POST') asked = true;
    else if (asked) return route.fulfill({ json: { ...onDiscord, checked_at_ms: Date.now() } });
    return route.fallback();
  });
  await look.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Checked again.').waitFor();
  await page.getByText('In the Discord server', { exact: true }).waitFor();
  assert.ok(asked);
  await focused(look);
  await holds(channel(page), '#link-log');
  await leave();
});

test('on a phone the list fits beside its field, and is tapped', async () => {
  const { page, leave } = await on.visit(GUILD, { width: 375 });
  const field = roles(page, 'Roles plugins can grant');
  await field.click();
  const box = await page.getByRole('listbox').evaluate((list) => list.parentElement.getBoundingClientRect().toJSON());
  assert.ok(box.left >= 0 && box.right <= 375 && box.top >= 0 && box.bottom <= 800, JSON.stringify(box));
  for (const option of await page.getByRole('listbox').getByRole('option').all()) assert.ok((await option.boundingBox()).height >= 44);
  assert.deepEqual(await wrongWith(page), []);
  await page.getByRole('option', { name: 'Café regular' }).click();
  await focused(field);
  await becomes(() => chips(page, 'Roles plugins can grant').count(), 4);
  await leave();
});
