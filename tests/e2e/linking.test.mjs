// Link, relink and unlink by clicking, on a phone and on a desk, without scripts.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { Visitor } from './pages.mjs';
import { linkedTo, person, startSandbox } from './sandbox.mjs';

const { SYMBOLON_TEST_BINARY, SYMBOLON_TEST_PICTURES, SYMBOLON_TEST_CHROMIUM } = process.env;
const LARGEST_PAGE_BYTES = 4_000;

let sandbox;
let browser;

before(async () => {
  mkdirSync(SYMBOLON_TEST_PICTURES, { recursive: true });
  sandbox = await startSandbox(SYMBOLON_TEST_BINARY);
  browser = await chromium.launch({
    executablePath: SYMBOLON_TEST_CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});

after(async () => {
  await browser?.close();
  await sandbox?.stop();
});

// Two newcomers for each size, so that no run meets the links of another.
for (const [width, names] of [
  [375, ['Gia', 'Ines']],
  [1280, ['Hugo', 'Jona']],
]) {
  test(`a Guild with all steps, ${width} pixels wide`, async () => {
    const { world } = sandbox;
    const slug = 'ashfall-rust';
    const [one, other] = names.map((name) => person(world, name));
    const visitor = new Visitor(browser, world.base_url, width, SYMBOLON_TEST_PICTURES);
    await visitor.arrive();
    await visitor.open(`/link/${slug}`);
    await visitor.look('start');
    await visitor.signIn('discord', 'link', slug, other.discord_id);
    await visitor.signIn('steam', 'link', slug, other.steam_id);
    await visitor.press('verify');
    await visitor.look('refused');
    assert.equal(await linkedTo(world, slug, other.steam_id), null);
    await visitor.press('restart');
    await visitor.signIn('discord', 'link', slug, one.discord_id);
    await visitor.look('half');
    await visitor.signIn('steam', 'link', slug, one.steam_id);
    await visitor.look('ready');
    await visitor.press('verify');
    await visitor.look('linked');
    assert.equal(await linkedTo(world, slug, one.steam_id), one.discord_id);
    await visitor.open(`/unlink/${slug}`);
    await visitor.look('unlink-start');
    await visitor.signIn('steam', 'unlink', slug, one.steam_id);
    await visitor.look('unlink-ready');
    await visitor.press('confirm');
    await visitor.look('unlinked');
    assert.equal(await linkedTo(world, slug, one.steam_id), null);
    await visitor.open(`/link/${slug}?lang=ar`);
    await visitor.look('arabic');
    await visitor.leave();
    assert.deepEqual(visitor.findings, []);
  });

  test(`relinking both ways, ${width} pixels wide`, async () => {
    const { world } = sandbox;
    const slug = 'ashfall-creative';
    const [one, other] = names.map((name) => person(world, name));
    const visitor = new Visitor(browser, world.base_url, width, SYMBOLON_TEST_PICTURES);
    await visitor.arrive();
    await visitor.open(`/link/${slug}`);
    const link = async (discord, steam, picture) => {
      await visitor.signIn('discord', 'link', slug, discord.discord_id);
      await visitor.signIn('steam', 'link', slug, steam.steam_id);
      if (picture) await visitor.look(picture);
      await visitor.press('verify');
      assert.equal(await linkedTo(world, slug, steam.steam_id), discord.discord_id);
      await visitor.press('restart');
    };
    await link(one, one);
    await link(one, other, 'relink-steam');
    assert.equal(await linkedTo(world, slug, one.steam_id), null, 'the first account is free again');
    await link(other, other, 'relink-discord');
    await link(other, other, 'same-pair');
    await visitor.open(`/unlink/${slug}`);
    await visitor.signIn('discord', 'unlink', slug, other.discord_id);
    await visitor.press('confirm');
    assert.equal(await linkedTo(world, slug, other.steam_id), null);
    await visitor.leave();
    assert.deepEqual(visitor.findings, []);
  });
}

test('a page with its styles fits into 4 kB', async () => {
  for (const path of ['/link/ashfall-rust', '/unlink/ashfall-rust']) {
    const page = await (await fetch(sandbox.world.base_url + path)).text();
    assert.doesNotMatch(page, /<link[^>]+stylesheet|<script|<img(?![^>]* src="\/pictures\/)/, 'everything is in the page but the picture of the Guild');
    const size = brotliCompressSync(page).length;
    assert.ok(size < LARGEST_PAGE_BYTES, `${path}: ${size} bytes`);
  }
});
