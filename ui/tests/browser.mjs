// A browser on the made-up data, for tests and for looking. The packages are those of tests/e2e at the root.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { arrived, becomes, countCalls, PATIENCE_MS } from '../../tests/e2e/waiting.mjs';
import { mock } from './mock.mjs';

export const need = createRequire(new URL('../../tests/e2e/package.json', import.meta.url));
const { chromium } = need('playwright-core');
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Notes go after five seconds. On a busy machine that is not long enough for looking at one. */
function keepNotes() {
  const later = globalThis.setTimeout;
  globalThis.setTimeout = (run, ms, ...rest) => (ms === 5_000 ? 0 : later(run, ms, ...rest));
}

export async function open() {
  const server = mock().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  const base = `http://127.0.0.1:${server.address().port}`;
  const on = {
    base,
    /** A page in a world of its own; what goes wrong in it ends up in `findings`. With `notes` its notes stay. */
    async page({ world = '', width = 1280, colorScheme = 'light', notes = false } = {}, findings = []) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
      context.setDefaultTimeout(PATIENCE_MS);
      if (world) await context.addCookies([{ name: 'mock', value: world, url: base }]);
      await context.addInitScript(() => {
        globalThis.breaches = [];
        document.addEventListener('securitypolicyviolation', (event) => globalThis.breaches.push(`${event.violatedDirective} ${event.blockedURI}`));
      });
      await context.addInitScript(countCalls);
      if (notes) await context.addInitScript(keepNotes);
      const page = await context.newPage();
      page.on('pageerror', (error) => findings.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) findings.push(`console: ${message.text()}`);
      });
      return page;
    },
    async goto(page, path) {
      await page.goto(`${base}/app${path}`);
      await arrived(page);
    },
    /** Opens a page, with `clock` on one whose time the test moves; leaving it fails when anything went wrong on it. */
    async visit(path, options) {
      const findings = [];
      const page = await on.page(options, findings);
      if (options?.clock) await page.clock.install();
      await on.goto(page, path);
      return {
        page,
        focusedOn: (words) => becomes(() => page.evaluate(() => document.activeElement?.textContent?.trim()), words),
        heading: (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
        async leave() {
          findings.push(...(await page.evaluate(() => globalThis.breaches)));
          await page.unrouteAll({ behavior: 'ignoreErrors' });
          await page.context().close();
          assert.deepEqual(findings, []);
        },
      };
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
  return on;
}
