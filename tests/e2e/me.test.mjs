// A person's own page by clicking, on a phone and on a desk, without scripts.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Visitor } from './pages.mjs';
import { linkedTo, person, startSandbox } from './sandbox.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;

let sandbox;
let browser;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  browser = await chromium.launch({
    executablePath: SYMBOLON_TEST_CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

async function show(visitor, provider, id) {
  await visitor.page.click(`a[href="/auth/${provider}/me"]`);
  await visitor.page.click(`button[name="as"][value="${id}"]`);
  await visitor.page.waitForURL(`${visitor.base}/me`);
}

for (const [width, name] of [
  [375, 'Elif'],
  [1280, 'Finn'],
]) {
  test(`somebody sees, takes home and erases what is held about them, ${width} pixels wide`, async () => {
    const { world } = sandbox;
    const somebody = person(world, name);
    const visitor = new Visitor(browser, world.base_url, width, SYMBOLON_TEST_PICTURES);
    await visitor.arrive();
    await visitor.open('/me');
    await visitor.look('me-start');
    await show(visitor, 'discord', somebody.discord_id);
    await show(visitor, 'steam', somebody.steam_id);
    await visitor.look('me');
    assert.match(await visitor.text(), /Tiny Camp/);
    const [download] = await Promise.all([visitor.page.waitForEvent('download'), visitor.page.click('form[action="/me/export"] button')]);
    const held = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(held.communities[0].links[0].steam_id, somebody.steam_id);
    await visitor.page.click('section:last-of-type summary');
    await visitor.page.check('section:last-of-type input[type="checkbox"]');
    await visitor.page.click('section:last-of-type form[action="/me/erase"] button');
    await visitor.page.waitForURL(`${world.base_url}/me?notice=gone`);
    await visitor.look('me-gone');
    assert.equal(await linkedTo(world, 'tiny-camp', somebody.steam_id), null);
    await visitor.open('/me?lang=ar');
    await visitor.look('me-arabic');
    await visitor.leave();
    assert.deepEqual(visitor.findings, []);
  });
}
