// What is on the page is never passed off as live. On made-up data; needs dist/.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rest } from '../../../tests/e2e/waiting.mjs';
import { open } from '../browser.mjs';

let on;
before(async () => {
  on = await open();
});
after(() => on.close());

const away = {
  'is away': (route) => route.abort(),
  'answers errors': (route) => route.fulfill({ status: 500, json: { status: 500, code: 'INTERNAL', message: 'Something broke on our side.' } }),
};

for (const [trouble, answer] of Object.entries(away)) {
  for (const width of [1280, 375]) {
    test(`while the server ${trouble}, what was read is marked with its age until it is read again (${width} px)`, async () => {
      const findings = [];
      const page = await on.page({ width }, findings);
      await page.clock.install({ time: new Date('2026-03-04T14:03:00') });
      await on.goto(page, '/orgs/o1');
      const notice = page.getByRole('alert').filter({ hasText: 'Not updated since' });
      assert.equal(await notice.count(), 0);
      await page.route('**/api/**', answer);
      await page.clock.runFor(45_000);
      await notice.waitFor();
      assert.match(await notice.innerText(), /Not updated since 2:03\sPM\. (We couldn’t reach the server|Something broke on our side)/);
      await page.getByRole('heading', { level: 1, name: 'Rustlands' }).waitFor();
      // Over the page: the navigation may scroll by itself.
      await page.mouse.move(width * 0.6, 400);
      await page.mouse.wheel(0, 600);
      await page.waitForFunction(() => scrollY > 100);
      const { y } = await notice.boundingBox();
      assert.ok(y >= 0 && y < 400, `it stays in sight: ${y}`);

      const again = notice.getByRole('button', { name: 'Try again' });
      await Promise.all([page.waitForRequest('**/api/orgs/o1/overview'), again.click()]);
      await rest(page);
      assert.equal(await again.count(), 1, 'it is still away');
      await page.unroute('**/api/**');
      await again.click();
      await notice.waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
      await page.context().close();
      assert.deepEqual(findings, []);
    });
  }
}

test('what is gone is not shown as it once was', async () => {
  const findings = [];
  const page = await on.page({}, findings);
  await page.clock.install();
  await on.goto(page, '/orgs/o1/servers');
  await page.getByRole('link', { name: 'EU Main 2x' }).first().waitFor();
  await page.route('**/api/orgs/o1/servers', (route) => route.fulfill({ status: 403, json: { status: 403, code: 'MISSING_PERMISSION', message: 'No.', permission: 'servers.view' } }));
  const [asked] = await Promise.all([page.waitForRequest((request) => request.url().endsWith('/api/account')), page.clock.runFor(31_000)]);
  assert.equal(asked.method(), 'GET', 'and the rights are read again');
  await page.getByText('You don’t have access').waitFor();
  await rest(page);
  assert.equal(await page.getByRole('main').getByRole('link', { name: 'EU Main 2x' }).count(), 0);
  assert.equal(await page.getByText('Not updated since').count(), 0);
  await page.context().close();
  assert.deepEqual(findings, []);
});
