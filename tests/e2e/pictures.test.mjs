// Pictures of a community and its team, from the emulated Discord to the screen, by way of our own address only.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Member } from './member.mjs';
import { startSandbox } from './sandbox.mjs';
import { becomes, until } from './waiting.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let sandbox;
let browser;
let world;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  ({ world } = sandbox);
  browser = await chromium.launch({ executablePath: SYMBOLON_TEST_CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

// The bot sees a Guild a moment after it came online, and the picture follows.
async function pictureOf(slug) {
  let found = null;
  await until(async () => {
    const page = await (await fetch(`${world.base_url}/link/${slug}`)).text();
    found = /<img class="tile" src="(\/pictures\/[^"]+)"/.exec(page);
    return found;
  }, `a picture of ${slug}`);
  return found[1];
}

const loaded = (image) => image.evaluate((one) => one.decode().then(() => one.naturalWidth > 0));

for (const [width, colorScheme] of [[1280, 'light'], [1280, 'dark'], [375, 'light'], [375, 'dark']]) {
  test(`link page and dashboard show pictures from our own address, at ${width} in ${colorScheme}`, async () => {
    const [org] = world.orgs;
    const address = await pictureOf('ashfall-rust');
    const ada = await new Member(browser, world, 'Ada').arrive({ width, colorScheme });
    const { page } = ada;
    const elsewhere = [];
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== world.base_url) elsewhere.push(request.url());
    });
    const look = (name) => ada.look(SYMBOLON_TEST_PICTURES, `pictures-${name}-${width}-${colorScheme}`);

    await page.goto(`${world.base_url}/link/ashfall-rust`);
    assert.equal(await page.locator('img.tile').getAttribute('src'), address);
    assert.equal(await loaded(page.locator('img.tile')), true);
    await look('link');

    await ada.open(`/orgs/${org.id}/guilds`);
    const images = page.getByRole('main').locator('img');
    assert.equal(await images.first().getAttribute('src'), address);
    assert.equal(await loaded(images.first()), true);
    await look('guilds');

    await ada.open(`/orgs/${org.id}/team`);
    await becomes(() => images.count(), 3);
    for (const image of await images.all()) assert.equal(await loaded(image), true);
    await look('team');

    await ada.open(`/orgs/${org.id}/link-page`);
    assert.equal(await loaded(page.frameLocator('iframe').first().locator('img.tile')), true);
    await look('preview');

    assert.deepEqual(elsewhere, []);
    assert.deepEqual(ada.findings, []);
    await ada.leave();
  });
}
