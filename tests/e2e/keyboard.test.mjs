// From nothing to an invite without a mouse: an Org, a Guild, a Server, its key, an invite. At every stop on the way the
// focus can be seen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { startSandbox } from './sandbox.mjs';
import { holdsFocus, rest } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_CHROMIUM } = process.env;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const MOST_STOPS = 120;

let sandbox;
let browser;

before(async () => {
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

/** What has the focus: its words, and whether somebody can see that it has. */
function stop() {
  const at = document.activeElement;
  const seen = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  };
  const around = [at, at.parentElement, at.closest('label'), at.closest('li')].filter(Boolean);
  const box = at.getBoundingClientRect();
  const named = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent;
  return {
    words: named.replace(/\s+/g, ' ').trim(),
    kind: at.getAttribute('type') === 'radio' ? 'radio' : at.tagName.toLowerCase(),
    // A heading has the focus because its page has just opened, and is no stop of the Tab key.
    visible: at.matches('h1[tabindex="-1"]') || (around.some(seen) && box.bottom > 0 && box.top < innerHeight),
  };
}

async function here(page) {
  const found = await page.evaluate(stop);
  assert.ok(found.visible, `nobody sees that the focus is on ${found.kind} ${found.words}, ${page.url()}`);
  return found;
}

/** Presses a key until what is looked for has the focus. All stops are there before the first press. */
async function go(page, wanted, { kind, key = 'Tab' } = {}) {
  await rest(page);
  const stops = [];
  const fits = (found) => (!kind || found.kind === kind) && (wanted instanceof RegExp ? wanted.test(found.words) : found.words === wanted);
  for (let count = 0; count < MOST_STOPS; count += 1) {
    await page.keyboard.press(key);
    const found = await here(page);
    if (fits(found)) return;
    stops.push(`${found.kind} ${found.words.slice(0, 30)}`);
  }
  assert.fail(`${wanted} is not reached by ${key}: ${stops.join(', ')}`);
}

const enter = (page) => page.keyboard.press('Enter');

/** Waits for the focus to be on these words: on the heading of a page that was gone to, or on something to press. A link
 *  often says what the heading of its page says, so the kind is part of the question. */
const on = (page, kind, words) =>
  page.waitForFunction(([kind, words]) => document.activeElement?.matches(kind) && document.activeElement.textContent.replace(/\s+/g, ' ').trim() === words, [kind, words]);

test('an Org, a Guild, a Server, its key and an invite, by keyboard alone', async () => {
  const { world } = sandbox;
  const gia = await new Member(browser, world, 'Gia').arrive();
  const { page } = gia;
  await gia.heading('Your organisations');

  await go(page, 'Create organisation', { kind: 'a' });
  await enter(page);
  await on(page, 'h1', 'Create organisation');
  await go(page, 'Name');
  await page.keyboard.type('Keys only');
  await enter(page);
  await page.waitForURL(/\/app\/orgs\/org_/);
  await on(page, 'h1', 'Keys only');

  await go(page, 'Add Guild', { kind: 'a' });
  await enter(page);
  await on(page, 'h1', 'Add Guild');
  await page.getByRole('button', { name: 'Continue with Discord' }).waitFor();
  await go(page, 'Continue with Discord');
  await enter(page);
  await page.locator(`button[name="as"][value="${gia.id}"]`).waitFor();
  await go(page, /^Gia\b/, { kind: 'button' });
  await enter(page);
  await page.waitForURL(/\/guilds\/new$/);
  await page.getByText("Gia's Outpost").waitFor();
  await go(page, /./, { kind: 'radio' });
  await page.keyboard.press('Space');
  if (!(await here(page)).words.startsWith("Gia's Outpost")) await go(page, /^Gia's Outpost/, { key: 'ArrowDown' });
  await go(page, 'Add Guild', { kind: 'button' });
  await enter(page);
  await on(page, 'a, button', 'Open settings');
  await here(page);

  await go(page, 'Add Server', { kind: 'a' });
  await enter(page);
  await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent === 'Name');
  await here(page);
  await page.keyboard.type('Outpost EU');
  await enter(page);
  await on(page, 'a, button', 'Copy key');
  await here(page);
  await go(page, 'Open Server', { kind: 'a' });
  await enter(page);
  await on(page, 'h1', 'Outpost EU');

  await go(page, 'Reveal key of Outpost EU');
  await enter(page);
  await on(page, 'a, button', 'Copy key of Outpost EU');
  await here(page);
  const key = (await page.getByText(/^svc_live_[0-9a-f]{48}$/).innerText()).trim();
  const reply = await fetch(`${world.base_url}/api?action=count`, { headers: { 'x-api-key': key } });
  assert.equal(reply.status, 200);

  await go(page, 'Team', { kind: 'a', key: 'Shift+Tab' });
  await enter(page);
  await on(page, 'h1', 'Team');
  await go(page, 'Invites', { kind: 'a' });
  await enter(page);
  await page.getByText('No invites yet').waitFor();
  await go(page, 'Create invite', { kind: 'button' });
  await enter(page);
  await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'radio');
  await go(page, 'Create invite', { kind: 'button' });
  await enter(page);
  await holdsFocus(page.getByRole('dialog', { name: 'Invite link', exact: true }));
  const invite = (await page.getByText(/\/invite\/[\w-]{43}/).first().innerText()).trim();
  assert.equal((await fetch(invite)).status, 200);
  await go(page, 'Done');
  await enter(page);
  await on(page, 'a, button', 'Create invite');
  await here(page);
  assert.deepEqual(gia.findings, []);
  await gia.leave();
});
