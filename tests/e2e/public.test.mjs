// Everything that anyone can open, in both themes, on a phone and on a desk: axe has nothing against it.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { person, startSandbox } from './sandbox.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let sandbox;
let browser;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

// What axe has against a page in four forms, and whether it is wider than the screen.
async function findings(page, path, picture) {
  const found = [];
  await page.goto(sandbox.world.base_url + path);
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const label = `${path} ${width} ${colorScheme}`;
      if (picture) await page.screenshot({ path: join(SYMBOLON_TEST_PICTURES, `${picture}-${width}-${colorScheme}.png`), fullPage: true });
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${label}: wider than the screen`);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, impact, nodes } of violations) found.push(`${label}: ${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    }
  }
  return found;
}

test('axe has nothing against any page of the documentation', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${sandbox.world.base_url}/docs/api`);
  const actions = await page.locator('main a[href^="/docs/api/"]').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  assert.ok(actions.length > 20);
  const found = [];
  for (const path of ['/docs', '/docs/api', '/docs/errors', '/docs/migrating', ...actions]) {
    found.push(...(await findings(page, path, actions.includes(path) ? '' : path.slice(1).replaceAll('/', '-'))));
  }
  assert.deepEqual(found, []);
  await page.context().close();
});

test('axe has nothing against the front page, an invite and pages of failures', async () => {
  const { world } = sandbox;
  const [org] = world.orgs;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${world.base_url}/app/`);
  await page.click(`button[name="as"][value="${person(world, 'Ada').discord_id}"]`);
  await page.waitForURL(`${world.base_url}/app/`);
  const invite = await page.evaluate(async (path) => {
    const body = JSON.stringify({ role: 'staff', permissions: ['links.view', 'audit.view'], expires: '7d' });
    return (await (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()).url;
  }, `/api/orgs/${org.id}/invites`);
  const { pathname } = new URL(invite);
  const found = await findings(page, pathname, 'invite-member');
  const stranger = await (await browser.newContext()).newPage();
  for (const [path, picture] of [
    ['/', 'front'],
    [pathname, 'invite'],
    ['/nothing', 'failure-missing'],
    ['/auth/discord/link/callback?state=x', 'failure-sign-in'],
    ['/link/ashfall-rust', ''],
  ]) {
    found.push(...(await findings(stranger, path, picture)));
  }
  assert.deepEqual(found, []);
  await stranger.context().close();
  await context.close();
});
