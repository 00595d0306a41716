// The plugin: its builds, its file with the key, what is out of date, and calls that were refused. Needs dist/.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { READS, WRITES } from '../fixtures.mjs';
import { builds, refused } from '../fixtures-plugin.mjs';

const PLUGIN = '/orgs/o1/plugin';
const REVEAL = '/orgs/o1/servers/s1/key/reveal';
const [, { key: KEY }] = WRITES[`POST ${REVEAL}`];
const { content } = READS['/orgs/o1/servers/s1/plugin-file'];

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const file = (page) => page.getByRole('group', { name: 'Symbolon.json' });
const note = (page, text) => page.getByRole('region', { name: 'Notes' }).getByText(text).waitFor();
const clipboard = async (page) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: on.base });
  return () => page.evaluate(() => navigator.clipboard.readText());
};
/** Counts how often a key was revealed. */
function reveals(page) {
  let times = 0;
  page.on('request', (request) => (times += request.url().endsWith('/key/reveal') ? 1 : 0));
  return () => times;
}
/** Whether the page keeps the key anywhere a person or a script of ours could find it. */
const keeps = (page) => page.evaluate((key) => [document.documentElement.outerHTML, JSON.stringify({ ...localStorage, ...sessionStorage }), location.href].some((text) => text.includes(key)), KEY);

test('the latest build and earlier ones are offered with their digests', async () => {
  const { page, leave } = await on.visit(PLUGIN);
  const latest = page.getByRole('region', { name: 'Latest build' });
  assert.equal(await latest.getByRole('link', { name: 'Download Symbolon.cs v3.23.1' }).getAttribute('href'), '/download/plugin');
  for (const text of ['v3.23.1', '41.3 kB', builds[0].sha256]) await latest.getByText(text, { exact: true }).waitFor();
  const read = await clipboard(page);
  await page.getByRole('button', { name: 'Copy SHA-256 of v3.22.0' }).click();
  assert.equal(await read(), builds[1].sha256);
  assert.equal(await page.getByRole('link', { name: 'Download v3.20.0' }).getAttribute('href'), '/download/plugin/v3.20.0');
  await page.getByRole('link', { name: 'Carbon' }).click();
  for (const text of ['carbon/configs', 'carbon/plugins', 'c.reload Symbolon']) await page.getByText(text, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy command' }).click();
  assert.equal(await read(), 'c.reload Symbolon');
  await leave();
});

test('the file is copied and downloaded with the key, which stays nowhere on the page', async () => {
  const { page, leave } = await on.visit(PLUGIN);
  const read = await clipboard(page);
  const revealed = reveals(page);
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'EU Main 2x' });
  assert.equal(new URL(page.url()).searchParams.get('server'), 's1');
  await file(page).getByText('"Server key": "svc_live_12ab••••••••"').waitFor();
  assert.equal(revealed(), 0, 'nothing is revealed by looking');
  await page.getByRole('button', { name: 'Copy with key' }).click();
  await note(page, 'Copied Symbolon.json with its key');
  const copied = await read();
  assert.deepEqual(JSON.parse(copied), { ...content, 'Server key': KEY });
  assert.deepEqual(Object.keys(JSON.parse(copied)), Object.keys(content), 'in the order of the file');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Symbolon.json' }).click();
  const came = await coming;
  assert.equal(came.suggestedFilename(), 'Symbolon.json');
  assert.equal(await readFile(await came.path(), 'utf8'), copied);
  await note(page, 'Downloaded Symbolon.json with its key');
  assert.equal(revealed(), 2);
  await rest(page);
  assert.equal(await keeps(page), false);
  await page.reload();
  await page.getByRole('button', { name: 'Copy with key' }).waitFor();
  assert.equal(await page.getByLabel('Server', { exact: true }).inputValue(), 's1', 'the address keeps the choice');
  await leave();
});

test('who may not reveal keys gets the file without one, and is told who can give it', async () => {
  const { page, leave } = await on.visit(`${PLUGIN}?server=s1`, { world: 'viewer' });
  const read = await clipboard(page);
  const revealed = reveals(page);
  await page.getByText('someone with the permission “Reveal and replace keys” (servers.keys)').waitFor();
  assert.equal(await page.getByRole('button', { name: /with key|Download Symbolon\.json/ }).count(), 0);
  await page.getByRole('button', { name: 'Copy without key' }).click();
  await note(page, 'Copied Symbolon.json without its key');
  assert.deepEqual(JSON.parse(await read()), content);
  assert.equal(revealed(), 0);
  await page.goto(`${on.base}/app/orgs/o1/servers/s1`);
  await page.getByRole('link', { name: 'Set up the plugin' }).waitFor();
  await rest(page);
  assert.equal(await page.getByText('Refused calls').count(), 0);
  await leave();
});

test('a revoked key is not handed out, also when it was revoked a moment ago', async () => {
  const { page, leave } = await on.visit(PLUGIN, { world: 'revoked' });
  await page.getByText('The key of EU Main 2x is revoked').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Open Server' }).getAttribute('href'), '/app/orgs/o1/servers/s1');
  assert.equal(await page.getByRole('button', { name: 'Copy with key' }).count(), 0);
  await leave();
  const late = await on.visit(`${PLUGIN}?server=s1`);
  await clipboard(late.page);
  const revealed = reveals(late.page);
  const server = READS['/orgs/o1/servers/s1'];
  const now = { ...server, key: { ...server.key, revoked: true } };
  await late.page.route('**/api/orgs/o1/servers/s1', (route) => route.fulfill({ json: now }));
  await late.page.route('**/api/orgs/o1/servers', (route) => route.fulfill({ json: { servers: [now] } }));
  await late.page.getByRole('button', { name: 'Copy with key' }).click();
  await note(late.page, 'Nothing was copied or downloaded.');
  await late.page.getByText('The key of EU Main 2x is revoked').waitFor();
  assert.equal(revealed(), 0);
  await late.leave();
});

test('a Server that is gone and a file that does not come are told', async () => {
  const { page, leave } = await on.visit(`${PLUGIN}?server=s9`);
  await page.getByText('There’s no Server with this ID.').waitFor();
  await page.route('**/api/orgs/o1/servers/s2/plugin-file', (route) => route.fulfill({ status: 404, json: { status: 404, code: 'NOT_FOUND', message: 'There is nothing here.' } }));
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'US Main 2x' });
  await page.getByText('US Main 2x was deleted. Choose another Server.').waitFor();
  await page.route('**/api/orgs/o1/servers/s3/plugin-file', (route) => route.fulfill({ status: 500, json: { status: 500, code: 'INTERNAL', message: 'It broke.' } }));
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'Build Sandbox' });
  await page.getByText('It broke.').waitFor();
  await page.unroute('**/api/orgs/o1/servers/s3/plugin-file');
  await page.getByRole('button', { name: 'Try again' }).click();
  await file(page).waitFor();
  await page.route(`**/api/orgs/o1/servers/s3/key/reveal`, (route) => route.fulfill({ status: 500, json: { status: 500, code: 'INTERNAL', message: 'The key broke.' } }));
  await page.getByRole('button', { name: 'Copy with key' }).click();
  await note(page, 'The key broke.');
  await leave();
});

test('an old plugin and an old file are told where the Server is, with the way to new ones', async () => {
  const { page, leave, heading } = await on.visit('/orgs/o1/servers');
  const rows = page.getByRole('row');
  assert.equal(await rows.filter({ hasText: 'US Main 2x' }).getByText('Update', { exact: true }).count(), 1);
  assert.equal(await rows.filter({ hasText: 'EU Main 2x' }).getByText('Update', { exact: true }).count(), 0);
  await page.getByRole('link', { name: 'US Main 2x' }).click();
  await heading('US Main 2x');
  await page.getByText('v3.23.1 is available').waitFor();
  await page.getByText('The plugin’s configuration is out of date').waitFor();
  for (const name of ['Update the plugin', 'Download a new one', 'Set up the plugin']) {
    assert.equal(await page.getByRole('link', { name }).getAttribute('href'), '/app/orgs/o1/plugin?server=s2');
  }
  await page.getByRole('link', { name: 'Download a new one' }).click();
  await heading('Plugin');
  assert.equal(await page.getByLabel('Server', { exact: true }).inputValue(), 's2');
  await leave();
});

test('a new key leads to the plugin', async () => {
  const { page, leave, heading } = await on.visit('/orgs/o1/servers/s1');
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('dialog', { name: 'New key of EU Main 2x' }).getByRole('link', { name: 'Set up the plugin' }).click();
  await heading('Plugin');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await leave();
});

test('refused calls are told by key and code, with what to do, and nothing is said where there are none', async () => {
  const { page, leave } = await on.visit('/orgs/o1/keys');
  const row = (name) => page.getByRole('table', { name: 'Plugin keys' }).getByRole('row').filter({ hasText: name });
  assert.equal(await row('EU Main 2x').getByRole('button').count(), 0);
  await row('EU Main 2x').getByText('None').waitFor();
  await row('US Modded 5x').getByRole('button', { name: '1,240 calls' }).waitFor();
  await row('US Main 2x').getByRole('button', { name: /^221 calls/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Refused calls' });
  await dialog.getByText('With the key of US Main 2x, in the last 24 hours.').waitFor();
  const told = (await dialog.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  assert.match(told[0], /^UNAUTHORIZED 212 The key was regenerated, and something still uses the old one\./);
  assert.match(told[1], /^RATE_LIMITED 9 There were too many calls/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^31 calls/ }).click();
  await dialog.getByText('Create a new key for it, or switch it off.').waitFor();
  await leave();
  const own = await on.visit('/orgs/o1/servers/s2');
  await own.page.getByRole('button', { name: /^221 calls/ }).waitFor();
  await own.leave();
  const calm = await on.page();
  await calm.route('**/api/orgs/o1/refused-calls', (route) => route.fulfill({ json: { refused: refused.slice(0, 1) } }));
  await on.goto(calm, '/orgs/o1/servers/s1');
  await calm.getByText('None in the last 24 hours').waitFor();
  await calm.context().close();
});
