// Importing links: what was chosen stays, what is asked is asked, and nothing is polled that stands still. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';
import { checkedImport, imports } from '../fixtures-imports.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const file = (name, text = 'discord_id,steam_id\n1,2\n') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a file that is refused leaves everything as it was chosen, and a good one shows its dry run', async () => {
  const page = await on.page({});
  await on.goto(page, '/orgs/o1/import');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('Choose a file first.').waitFor();
  await page.getByLabel('Guild', { exact: true }).selectOption('g1');
  await page.getByLabel('File', { exact: true }).setInputFiles(file('users.csv'));
  assert.ok(await page.getByLabel('CSV: linked users').isChecked(), 'known by its name');
  await page.getByLabel('Server for permission groups').selectOption('s2');
  await page.getByLabel('Time zone of the file').selectOption('+02:00');
  const asked = [];
  let refuse = true;
  await page.route('**/api/orgs/o1/imports?*', async (route) => {
    asked.push([new URL(route.request().url()).searchParams.toString(), route.request().headers()['content-type']]);
    if (!refuse) return route.continue();
    return route.fulfill({ status: 400, json: { status: 400, code: 'FILE_UNREADABLE', message: 'Nothing was imported: line 2: this quote is never closed' } });
  });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('line 2: this quote is never closed').waitFor();
  assert.equal(await page.getByLabel('Server for permission groups').inputValue(), 's2');
  assert.equal(await page.getByLabel('Time zone of the file').inputValue(), '+02:00');
  refuse = false;
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('0 of 1,653 rows checked').waitFor();
  assert.deepEqual(asked[1], asked[0], 'the same again');
  assert.equal(asked[0][1], 'application/octet-stream');
  assert.match(asked[0][0], /guild_id=g1&kind=users&utc_offset=%2B02%3A00&server_id=s2/);
  await page.context().close();
});

test('an import is started once it was confirmed, can be cancelled, and is only asked after while it runs', async () => {
  const page = await on.page({ world: 'checked' });
  await on.goto(page, '/orgs/o1/import');
  let reads = 0;
  let run = checkedImport;
  await page.route('**/api/orgs/o1/imports', (route) => {
    reads += 1;
    return route.fulfill({ json: { ...imports, imports: [run, ...imports.imports] } });
  });
  await page.waitForTimeout(2_000);
  assert.equal(reads, 0, 'nothing runs');
  await page.getByRole('button', { name: 'Import 1,204 links and 87 ended links' }).click();
  run = { ...checkedImport, state: 'importing', done: 600 };
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('600 of 1,653 rows done').waitFor();
  assert.ok(reads > 0);
  run = { ...checkedImport, state: 'cancelled', counts: { ...checkedImport.counts, links: 560, history: 0 } };
  await page.getByRole('button', { name: 'Cancel import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.context().close();
});
