// Pictures of people and Guilds in a real browser, on made-up data. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
let visit;
before(async () => {
  on = await open();
  visit = on.visit;
});
after(() => on.close());

const loaded = (image) => image.evaluate((one) => one.decode().then(() => one.naturalWidth > 0));

test('people have their pictures, and letters where there is none or it cannot be had', async () => {
  const { page, leave } = await visit('/orgs/o1/team');
  const row = (name) => page.getByRole('row').filter({ hasText: name });
  assert.equal(await loaded(row('maya.okafor').locator('img')), true);
  for (const [name, letters] of [['iven', 'I'], ['ruta_k', 'RK']]) {
    await row(name).getByText(letters, { exact: true }).waitFor();
    await becomes(() => row(name).locator('img').count(), 0, name);
  }
  await leave();
});

test('a Guild has its picture, and letters without one', async () => {
  const { page, leave } = await visit('/orgs/o1/guilds');
  const cards = page.getByRole('main').getByRole('listitem');
  assert.equal(await loaded(cards.filter({ hasText: 'Rustlands' }).first().locator('img')), true);
  await cards.filter({ hasText: 'Rustlands Modded' }).getByText('RM', { exact: true }).waitFor();
  await leave();
});
