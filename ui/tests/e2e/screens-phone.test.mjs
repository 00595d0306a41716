// Every screen on a phone, in both themes: nothing for axe to find. Beside those of a desk, as both take long. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../browser.mjs';
import { wrongWithAny } from '../screens.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

test('axe finds nothing on any screen of a phone, in both themes', async () => {
  assert.deepEqual(await wrongWithAny(on, 375), []);
});
