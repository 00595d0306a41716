// The audit log in a real browser on made-up data: sentences, their details, and the filters. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const rows = (page) => page.getByRole('row');

test('entries are sentences with names, changes are shown before and after, and a name leads to its page', async () => {
  const { page, leave } = await on.visit('/orgs/o1/audit');
  await rows(page).filter({ hasText: 'Plugin of EU Main 2x unlinked rivercrow59 (plugin)' }).first().waitFor();
  await rows(page).filter({ hasText: 'Plugin of EU Main 2x unlinked an erased player (plugin)' }).first().waitFor();
  const changed = rows(page).filter({ hasText: 'maya.okafor changed the settings of the Server EU Main 2x' }).first();
  assert.match(await changed.innerText(), /Name\s*from\s*EU Main\s*→\s*to\s*EU Main 2x/);
  assert.match(await changed.innerText(), /Poll interval in seconds/);
  const text = await page.locator('main').innerText();
  assert.doesNotMatch(text, /link\.removed|server\.changed|\bk1\b|\bs1\b/, 'no ids and no names for programs');
  await changed.getByRole('link', { name: 'EU Main 2x' }).click();
  await page.waitForURL(/\/orgs\/o1\/servers\/s1$/);
  await leave();
});

test('the raw entry is one click away, and the focus comes back', async () => {
  const { page, leave } = await on.visit('/orgs/o1/audit');
  const button = page.getByRole('button', { name: /^Details of maya\.okafor regenerated the key of EU Main 2x/ }).first();
  await button.click();
  const drawer = page.getByRole('dialog', { name: 'maya.okafor regenerated the key of EU Main 2x' });
  await drawer.waitFor();
  const raw = JSON.parse(await drawer.getByRole('group', { name: 'JSON' }).innerText());
  assert.deepEqual([raw.action, raw.target, raw.detail.server], ['key.regenerated', 'k1', 's1']);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.waitForFunction(() => /^Details\sof maya\.okafor regenerated/.test(document.activeElement?.textContent?.trim() ?? ''));
  await leave();
});

test('the log is filtered by choosing names, and each choice can be taken back', async () => {
  const { page, leave } = await on.visit('/orgs/o1/audit');
  const asks = (wanted) => page.waitForRequest((request) => {
    const url = new URL(request.url());
    return url.pathname === '/api/orgs/o1/audit' && Object.entries(wanted).every(([name, value]) => url.searchParams.get(name) === value);
  });
  const choose = async (field, typed, option, wanted) => {
    const box = page.getByRole('combobox', { name: field });
    const asked = asks(wanted);
    await box.click();
    await box.fill(typed);
    await page.getByRole('option', { name: option }).click();
    await asked;
    await becomes(() => box.inputValue(), option instanceof RegExp ? option.source.replace(/^\^|\$$/g, '') : option);
  };
  await choose('Who', 'iven', /^iven/, { actor: 'a2' });
  await choose('Kind', 'regen', 'Key regenerated', { actor: 'a2', action: 'key.regenerated' });
  await choose('About', 'classic', /^EU Classic/, { actor: 'a2', action: 'key.regenerated', target: 's9' });
  await page.waitForURL((url) => url.search === '?actor=a2&action=key.regenerated&target=s9');
  await choose('Kind', 'every', 'Everything', { actor: 'a2', action: null, target: 's9' });
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await becomes(() => page.getByRole('combobox', { name: 'Who' }).inputValue(), 'Anyone');
  await page.waitForURL((url) => url.search === '');
  await leave();
});

test('an entry leads to all others about the same thing', async () => {
  const { page, leave } = await on.visit('/orgs/o1/audit');
  await page.getByRole('button', { name: /^Details of rivercrow59 linked/ }).first().click();
  await page.getByRole('link', { name: 'All entries about rivercrow59' }).click();
  await page.waitForURL(/\?target=l1$/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await becomes(() => page.getByRole('combobox', { name: 'About' }).inputValue(), 'rivercrow59');
  await leave();
});
