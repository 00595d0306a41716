// What goes wrong while somebody is at work: the session ends, the server is away, rights change, somebody else saves.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { startSandbox } from './sandbox.mjs';
import { arrived, becomes, until } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_CHROMIUM } = process.env;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let sandbox;
let browser;
let world;
let org;
let base;

before(async () => {
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  ({ world } = sandbox);
  [org] = world.orgs;
  base = `/orgs/${org.id}`;
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

const admin = (...words) => promisify(execFile)(SYMBOLON_TEST_BINARY, ['admin', ...words, '--data', sandbox.data]);
const field = (member, label) => member.page.getByLabel(label, { exact: true });
const value = (member, label) => field(member, label).inputValue();
const focused = (page, text) => page.waitForFunction((text) => document.activeElement?.textContent?.trim().startsWith(text), text);
const read = (member, path) => member.page.evaluate(async (path) => (await fetch(`/api${path}`)).json(), path);
const write = (member, method, path, body) =>
  member.page.evaluate(
    async ([method, path, body]) => (await fetch(`/api${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).status,
    [method, path, body],
  );

/** The session of this browser is over, as if its time had come. A Guild's page asks for its bot every other second at
 *  first; that is held back until the sign-in, so that it is the person who finds out, with what they press next. */
async function endSession(member) {
  let held = 0;
  await member.page.route('**/api/**/discord', () => void (held += 1));
  await until(async () => (await member.page.evaluate(() => globalThis.calls)) <= held, 'answers to what was asked before');
  await member.context.clearCookies();
}

/** Through the page of Discord and back, as this member. */
async function signIn(member) {
  const here = member.page.url();
  await member.page.unrouteAll({ behavior: 'ignoreErrors' });
  await member.page.getByRole('dialog', { name: 'Your session has ended' }).getByRole('link', { name: 'Sign in' }).click();
  await member.choose();
  await member.page.waitForURL(here);
  await arrived(member.page);
}

for (const width of [1280, 375]) {
  test(`a session that ends while somebody types is asked for in place, and the draft is still there (${width} px)`, async () => {
    const ada = await new Member(browser, world, 'Ada').arrive({ width });
    const { page } = ada;
    const questions = [];
    page.on('dialog', (dialog) => { questions.push(dialog.type()); void dialog.accept(); });
    await ada.open(`${base}/guilds/${org.guilds[0].id}`);
    const [name, before] = [`Draft ${width}`, await value(ada, 'Name')];
    await ada.fill('Name', name);
    await endSession(ada);
    await ada.click('Save');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await focused(page, 'Sign in');
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await dialog.waitFor({ state: 'detached' });
    // Back to where they typed; the bar with Save lies above the page.
    await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent?.trim() === 'Name');
    assert.equal(await value(ada, 'Name'), name, 'the draft stays on the page');
    await page.getByRole('alert').filter({ hasText: /You’re signed out\.\s+Not updated since \d/ }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await signIn(ada);
    assert.equal(await value(ada, 'Name'), name, 'and comes back with the person');
    await page.getByText('You have unsaved changes.').waitFor();
    await ada.click('Save');
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
    assert.equal((await read(ada, `${base}/guilds/${org.guilds[0].id}`)).name, name);
    await write(ada, 'PATCH', `${base}/guilds/${org.guilds[0].id}`, { name: before });
    assert.deepEqual(questions, [], 'nobody is asked whether they want to lose their changes');
    assert.deepEqual(ada.findings, []);
    await ada.leave();
  });
}

test('a dialog that was half filled in opens again after the sign-in', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  await ada.open(`${base}/servers`);
  await page.getByRole('button', { name: 'Add Server' }).first().click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Half a Server');
  await endSession(ada);
  await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
  await signIn(ada);
  assert.equal(await page.getByRole('dialog', { name: 'Add Server' }).getByLabel('Name', { exact: true }).inputValue(), 'Half a Server');
  await page.reload();
  await arrived(page);
  assert.equal(await page.getByRole('dialog').count(), 0, 'once');
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('somebody else who signs in there does not get the draft', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  await ada.open(`${base}/settings`);
  const before = await value(ada, 'Name');
  await ada.fill('Name', 'Secret plans');
  await endSession(ada);
  await ada.click('Save');
  const bruno = new Member(browser, world, 'Bruno');
  ada.id = bruno.id;
  await signIn(ada);
  assert.equal(await value(ada, 'Name'), before);
  assert.equal(await ada.page.evaluate(() => JSON.stringify({ ...sessionStorage }).includes('Secret plans')), false);
  await ada.leave();
});

test('an export after the session ended asks for a sign-in where it is, and works after it', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  await ada.open(`${base}/audit`);
  await endSession(ada);
  await ada.click('Export CSV');
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  assert.equal(page.url(), `${world.base_url}/app${base}/audit`);
  await signIn(ada);
  const [file] = await Promise.all([page.waitForEvent('download'), ada.click('Export CSV')]);
  assert.match(file.suggestedFilename(), /\.csv$/);
  assert.match(await readFile(await file.path(), 'utf8'), /server\.created/);
  assert.equal(page.url(), `${world.base_url}/app${base}/audit`);
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('the way to Discord asks for a sign-in first when the session ended', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  await ada.open(`${base}/guilds/new`);
  await endSession(ada);
  await ada.click('Continue with Discord');
  await signIn(ada);
  await ada.click('Continue with Discord');
  await ada.choose();
  await ada.page.waitForURL(`${world.base_url}/app${base}/guilds/new`);
  await ada.page.getByText('Choose a Discord server').waitFor();
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('after a refusal the page offers what the person may do now, without a reload', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const chen = await new Member(browser, world, 'Chen').arrive();
  const { members } = await read(ada, `${base}/team`);
  const { account_id, permissions } = members.find(({ name }) => name === 'Chen');
  const give = (list) => write(ada, 'PATCH', `${base}/team/${account_id}`, { permissions: list });
  assert.equal(await give([...permissions, 'servers.manage', 'org.navigation']), 204);
  await chen.open(`${base}/servers/${org.guilds[0].servers[0].id}`);
  await chen.page.evaluate(() => (globalThis.same = true));
  const nav = chen.page.getByRole('navigation', { name: 'Main' });
  await nav.getByRole('link', { name: 'Link page' }).waitFor();
  await chen.fill('Name', 'Not for long');
  assert.equal(await give(permissions), 204);
  await chen.click('Save');
  await nav.getByRole('link', { name: 'Link page' }).waitFor({ state: 'detached' });
  await field(chen, 'Name').waitFor({ state: 'detached' });
  assert.equal(await chen.page.evaluate(() => globalThis.same), true);
  assert.deepEqual(chen.findings, []);
  await chen.leave();
  await ada.leave();
});

test('the second of two tabs that save one form is told what changed, keeps its draft, and decides', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const bruno = await new Member(browser, world, 'Bruno').arrive();
  const path = `${base}/servers/${org.guilds[0].servers[0].id}`;
  const before = await read(ada, path);
  const notice = bruno.page.getByRole('region', { name: 'Changed while you were editing' });
  await bruno.open(path);
  await ada.open(path);
  await bruno.fill('Name', "Bruno's name");
  await bruno.fill('Poll interval in seconds', '99');
  await ada.fill('Name', "Ada's name");
  await ada.fill('Group for boosters', 'nitro');
  await ada.click('Save');
  await ada.page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });

  await bruno.click('Save');
  await notice.waitFor();
  await bruno.page.waitForFunction(() => document.activeElement?.tagName === 'SECTION');
  assert.match(await notice.innerText(), new RegExp(`Name\\s+${before.name}\\s+is now\\s+→ Ada's name\\s+Group for boosters\\s+${before.booster_group}\\s+is now\\s+→ nitro`));
  assert.equal(await value(bruno, 'Name'), "Bruno's name");
  assert.equal((await read(ada, path)).name, "Ada's name", 'nothing was overwritten');

  await notice.getByRole('button', { name: 'Use theirs' }).click();
  await notice.waitFor({ state: 'detached' });
  await bruno.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
  await becomes(async () => [await value(bruno, 'Name'), await value(bruno, 'Poll interval in seconds')], ["Ada's name", '99']);

  await bruno.fill('Name', "Bruno's again");
  assert.equal(await write(ada, 'PATCH', path, { name: 'A third name' }), 204);
  await bruno.click('Save');
  await notice.getByRole('button', { name: 'Overwrite with mine' }).click();
  await bruno.page.getByText('You have unsaved changes.').waitFor({ state: 'detached' });
  await bruno.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
  const after = await read(ada, path);
  assert.deepEqual([after.name, after.poll_seconds, after.booster_group], ["Bruno's again", 99, 'nitro']);
  await write(ada, 'PATCH', path, { name: before.name, poll_seconds: before.poll_seconds, booster_group: before.booster_group });
  assert.deepEqual([...ada.findings, ...bruno.findings], []);
  await bruno.leave();
  await ada.leave();
});

test('so are those at the settings, a Guild, the link page and a custom key', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const notice = page.getByRole('region', { name: 'Changed while you were editing' });
  const { status, key } = await page.evaluate(
    async ([org, guild_id]) => {
      const made = await fetch(`/api/orgs/${org}/keys`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'Poll bot', guild_id, actions: ['count'] }) });
      return { status: made.status, key: (await made.json()).id };
    },
    [org.id, org.guilds[0].id],
  );
  assert.equal(status, 201);
  const button = (label) => ({ links: [{ label, url: 'https://example.com/' }] });
  await write(ada, 'PUT', `${base}/navigation`, button('First'));
  const forms = [
    { open: `${base}/settings`, method: 'PATCH', path: `${base}/settings`, theirs: { name: 'Theirs' }, label: 'Name', back: (old) => ({ name: old.name }) },
    { open: `${base}/guilds/${org.guilds[0].id}`, method: 'PATCH', path: `${base}/guilds/${org.guilds[0].id}`, theirs: { name: 'Theirs' }, label: 'Name', back: (old) => ({ name: old.name }) },
    { open: `${base}/link-page`, method: 'PUT', path: `${base}/navigation`, theirs: button('Theirs'), label: 'Label', back: () => ({ links: [] }) },
    { open: `${base}/keys`, method: 'PUT', path: `${base}/keys/${key}`, theirs: { name: 'Theirs', actions: ['count'] }, label: 'Name', edit: 'Edit Poll bot', save: 'Save key' },
  ];
  for (const form of forms) {
    const old = form.edit ? null : await read(ada, form.path);
    await ada.open(form.open);
    if (form.edit) await page.getByRole('button', { name: form.edit }).click();
    await ada.fill(form.label, 'Mine');
    assert.ok([200, 204].includes(await write(ada, form.method, form.path, form.theirs)), form.path);
    await ada.click(form.save ?? 'Save');
    await notice.waitFor();
    assert.match(await notice.innerText(), /→ Theirs/, form.path);
    assert.equal(await value(ada, form.label), 'Mine', form.path);
    await notice.getByRole('button', { name: 'Use theirs' }).click();
    await notice.waitFor({ state: 'detached' });
    await becomes(() => value(ada, form.label), 'Theirs', form.path);
    if (old) await write(ada, form.method, form.path, form.back(old));
  }
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('a switch of the permission matrix does not undo what somebody else switched meanwhile', async () => {
  const ada = await new Member(browser, world, 'Ada').arrive();
  const { page } = ada;
  const { members } = await read(ada, `${base}/team`);
  const chen = members.find(({ name }) => name === 'Chen');
  await ada.open(`${base}/team`);
  assert.equal(await write(ada, 'PATCH', `${base}/team/${chen.account_id}`, { permissions: [...chen.permissions, 'servers.manage'] }), 204);
  await page.getByRole('switch', { name: /^Customise the link page, Chen/ }).click();
  await page.getByText('Meanwhile, someone else changed Chen: granted Add and change Servers. Your change wasn’t saved.').waitFor();
  const now = async () => (await read(ada, `${base}/team`)).members.find(({ name }) => name === 'Chen').permissions;
  assert.equal((await now()).includes('servers.manage'), true);
  await becomes(() => page.getByRole('switch', { name: /^Customise the link page, Chen/ }).isChecked(), false);
  await becomes(() => page.getByRole('switch', { name: /^Add and change Servers, Chen/ }).isChecked(), true);
  await page.getByRole('switch', { name: /^Customise the link page, Chen/ }).click();
  await page.getByText('Saved Chen’s permissions').waitFor();
  assert.deepEqual((await now()).filter((one) => !chen.permissions.includes(one)).sort(), ['org.navigation', 'servers.manage']);
  await write(ada, 'PATCH', `${base}/team/${chen.account_id}`, { permissions: chen.permissions });
  assert.deepEqual(ada.findings, []);
  await ada.leave();
});

test('maintenance shows one card, to who comes and to who is there, and gives the draft back', async () => {
  const bruno = await new Member(browser, world, 'Bruno').arrive();
  const late = await new Member(browser, world, 'Bruno').arrive();
  const { page } = bruno;
  await bruno.open(`${base}/settings`);
  await bruno.fill('Name', 'In the middle');
  await admin('maintenance', 'on', '--message', 'Moving the database. Back at noon.');
  await bruno.click('Save');
  await bruno.heading('Down for maintenance');
  await late.page.goto(`${world.base_url}/app${base}/settings`);
  const shown = (who) => who.page.locator('main').evaluate((main) => main.innerText.split(/\n+/).map((line) => line.trim()).filter(Boolean));
  const card = await shown(bruno);
  assert.deepEqual(card, ['Down for maintenance', 'Moving the database. Back at noon.', 'Link pages and game servers keep working.', 'Check now']);
  assert.deepEqual(await shown(late), card);
  const width = (who) => who.page.locator('.card').evaluate((one) => one.getBoundingClientRect().width);
  assert.equal(await width(late), await width(bruno));
  await admin('maintenance', 'off');
  await late.page.getByRole('link', { name: 'Check now' }).click();
  await late.heading('Settings');
  await page.getByRole('button', { name: 'Check now' }).click();
  await bruno.heading('Settings');
  assert.equal(await value(bruno, 'Name'), 'In the middle');
  await page.getByText('You have unsaved changes.').waitFor();
  assert.deepEqual(bruno.findings, []);
  await late.leave();
  await bruno.leave();
});
