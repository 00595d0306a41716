// Waiting for what is to come, instead of guessing how long it takes: the machine that decides may be slow and busy.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** Of one wait. Far more than any of them takes, so that only what never comes is a failure. */
export const PATIENCE_MS = 60_000;
const EVERY_MS = 25;

/** Asks until the answer is yes. `what` is told when it never is; it may look at the page first. */
export async function until(holds, what) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`waited for ${typeof what === 'function' ? await what() : what}`);
    await pause(EVERY_MS);
  }
}

/** Reads until it is what is wanted. */
export async function becomes(read, wanted, message) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isDeepStrictEqual(found, wanted)) return;
    if (Date.now() > end) assert.deepEqual(found, wanted, message);
    await pause(EVERY_MS);
  }
}

/** For `addInitScript`: counts what the page asks the server, until the answer has been taken in. */
export function countCalls() {
  const ask = globalThis.fetch;
  const over = () => (globalThis.calls -= 1);
  const later = () => requestAnimationFrame(() => setTimeout(over));
  globalThis.calls = 0;
  globalThis.fetch = async (...request) => {
    globalThis.calls += 1;
    try {
      const answer = await ask(...request);
      void answer.clone().arrayBuffer().then(later, later);
      return answer;
    } catch (error) {
      later();
      throw error;
    }
  };
}

/** After two frames everything is where it stays. */
export const settled = (page) => page.evaluate(() => new Promise((rest) => requestAnimationFrame(() => requestAnimationFrame(rest))));

const isStill = () => !globalThis.calls && !document.querySelector('[aria-busy="true"]');

/** Every call is answered, nothing is busy, and nothing more follows from that. */
export async function rest(page) {
  await until(async () => {
    if (!(await page.evaluate(isStill))) return false;
    await settled(page);
    return page.evaluate(isStill);
  }, 'the page to come to rest');
}

/** A page of the dashboard is there with all that it reads. The heading from before it is known who looks does not count. */
export async function arrived(page) {
  await page.locator('main h1:not(.visually-hidden)').first().waitFor({ state: 'attached' });
  await rest(page);
}

/** The focus is in it: an open dialog or menu has taken the keyboard over. */
export async function holdsFocus(layer) {
  await layer.waitFor();
  await until(() => layer.evaluate((one) => one.contains(document.activeElement)), `the focus to be in ${layer}`);
}
