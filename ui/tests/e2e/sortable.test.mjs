// Sorting the buttons of the link page, by pointer and by keyboard. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const handle = (page, name) => page.getByRole('button', { name: `Reorder ${name}` });
const order = (page) =>
  page.locator('[data-part=handle]').evaluateAll((all) => all.map((one) => one.textContent.trim().replace('Reorder ', '')));
/** What a screen reader is told. */
const said = (page, words) => page.getByText(words, { exact: true }).waitFor({ state: 'attached' });

async function saved(page) {
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  await rest(page);
  return sent.postDataJSON().links.map(({ label }) => label);
}

test('a row follows the pointer past more than one other, and is saved where it was dropped', async () => {
  const { page, leave } = await on.visit('/orgs/o1/link-page');
  const from = await handle(page, 'Chat').boundingBox();
  const to = await handle(page, 'News').boundingBox();
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  for (let step = 1; step <= 20; step += 1) await page.mouse.move(from.x + 8, from.y + ((to.y + 60 - from.y) * step) / 20);
  await becomes(() => order(page), ['Shop', 'News', 'Chat']);
  await page.mouse.up();
  await said(page, 'Dropped Chat, position 3 of 3.');
  assert.deepEqual(await saved(page), ['Shop', 'News', 'Chat']);
  await leave();
});

test('a row is moved by keyboard alone, and the focus stays on it', async () => {
  const { page, leave } = await on.visit('/orgs/o1/link-page');
  await handle(page, 'News').focus();
  for (const key of ['Space', 'ArrowUp', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  await said(page, 'Dropped News, position 1 of 3.');
  await becomes(() => order(page), ['News', 'Chat', 'Shop']);
  await becomes(() => handle(page, 'News').evaluate((one) => one === document.activeElement), true);
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await said(page, 'News, position 2 of 3.');
  await page.keyboard.press('Escape');
  await said(page, 'Cancelled. News is back at position 1 of 3.');
  await becomes(() => order(page), ['News', 'Chat', 'Shop']);
  assert.deepEqual(await saved(page), ['News', 'Chat', 'Shop']);
  await leave();
});
