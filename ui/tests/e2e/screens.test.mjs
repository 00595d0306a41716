// Every screen on a desk, in both themes: nothing for axe to find, and while it loads the shape of what follows. Needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrived, rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';
import { ASH } from '../fixtures-person.mjs';
import { wrongWithAny } from '../screens.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

test('axe finds nothing on any screen of a desk, in both themes', async () => {
  assert.deepEqual(await wrongWithAny(on, 1280), []);
});

/** The cards of the page that are in no other, from top to bottom. */
const cards = (page) =>
  page.locator('main').evaluate((main) =>
    [...main.querySelectorAll('.card')]
      .filter((card) => !card.parentElement.closest('.card') && card.getClientRects().length)
      .map((card) => {
        const { x, y, width } = card.getBoundingClientRect();
        return { title: card.querySelector('h2')?.textContent ?? '', x: Math.round(x), y: Math.round(y), width: Math.round(width) };
      }),
  );

/** The page itself is there and every part that it waits for has its shape. Before it come the shapes of the frame. */
function isLoading() {
  const parts = [...document.querySelectorAll('main [aria-busy="true"]')];
  return document.querySelector('main h1:not(.visually-hidden)') && parts.length > 0 && parts.every((part) => part.querySelector('.skeleton'));
}

const LOADING = ['', '/guilds', '/guilds/g1', '/guilds/new', '/servers', '/servers/s1', '/servers/s1/roles', '/plugin', '/roles', '/guilds/g1/role-history', '/guilds/g1/checkup', '/guilds/g1/bot', `/users/${ASH}`, '/link-page', '/team', '/team?tab=invites', '/keys', '/audit', '/errors', '/settings', '/users', '/trust', '/cleanup', '/import', '/billing'];
const OPERATING = ['', '/errors', '/orgs', '/orgs/org_1', '/accounts', '/accounts/usr_ada', '/operators', '/sessions', '/blocklist', '/announcements', '/maintenance', '/registration', '/flags', '/builds', '/jobs', '/bots', '/audit'];

for (const [path, world] of [...LOADING.map((path) => [`/orgs/o1${path}`]), ['/account'], ...OPERATING.map((path) => [`/admin${path}`, 'operating'])]) {
  for (const width of [1280, 375]) {
    test(`while ${path} loads, it has the shape of what follows, at ${width}`, async () => {
      const page = await on.page({ world, width });
      let release;
      const held = new Promise((resolve) => (release = resolve));
      await page.route(/\/api\/(orgs|admin|account\/sessions)/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${on.base}/app${path}`);
      await page.waitForFunction(isLoading);
      const before = await cards(page);
      assert.equal(await page.locator('.card .skeleton.card').count(), 0, 'no card in a card');
      release();
      await arrived(page);
      assert.equal(await page.locator('.skeleton').count(), 0);
      const after = await cards(page);
      assert.ok(before.length > 0);
      assert.ok(Math.abs(before[0].y - after[0].y) <= 2, `the first card moved from ${before[0].y} to ${after[0].y}`);
      let at = 0;
      for (const card of before) {
        const same = ({ title, x, width: wide }) => (!card.title || card.title === title) && Math.abs(card.x - x) <= 1 && Math.abs(card.width - wide) <= 1;
        while (at < after.length && !same(after[at])) at += 1;
        assert.ok(at < after.length, `${JSON.stringify(card)} is not among ${JSON.stringify(after)}`);
        at += 1;
      }
      await page.context().close();
    });
  }
}

test('before it is known who looks, the page stands where it will be', async () => {
  const page = await on.page();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/api/account', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${on.base}/app/`);
  await page.locator('.skeleton').first().waitFor();
  const [before] = await cards(page);
  release();
  await page.getByRole('heading', { level: 1, name: 'Your organisations' }).waitFor();
  await rest(page);
  const [after] = await cards(page);
  assert.deepEqual([before.x, before.width], [after.x, after.width]);
  await page.context().close();
});
