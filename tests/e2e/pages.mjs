// Clicking through the pages, and looking at them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PATIENCE_MS } from './waiting.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// A person at a screen. Scripts are off: the pages have to work without.
export class Visitor {
  constructor(browser, base, width, pictures) {
    Object.assign(this, { browser, base, width, pictures, findings: [] });
  }

  async arrive() {
    this.context = await this.browser.newContext({ javaScriptEnabled: false, viewport: this.viewport() });
    this.context.setDefaultTimeout(PATIENCE_MS);
    this.page = await this.context.newPage();
  }

  viewport() {
    return { width: this.width, height: 800 };
  }

  open(path) {
    return this.page.goto(this.base + path);
  }

  // Leaves for the provider, chooses who to be there, and comes back.
  async signIn(provider, purpose, slug, id) {
    await this.page.click(`a[href="/auth/${provider}/${purpose}?guild=${slug}"]`);
    await this.page.click(`button[name="as"][value="${id}"]`);
    await this.page.waitForURL(`${this.base}/${purpose}/${slug}`);
  }

  async press(action) {
    await Promise.all([this.page.waitForNavigation(), this.page.click(`form[action$="/${action}"] button`)]);
  }

  text() {
    return this.page.locator('main').innerText();
  }

  // Opens the same page for the same visitor in both colour schemes, takes pictures and asks axe about it. Axe is a
  // script, so this happens in a window of its own.
  async look(name) {
    const storageState = await this.context.storageState();
    for (const colorScheme of ['light', 'dark']) {
      const context = await this.browser.newContext({ storageState, colorScheme, viewport: this.viewport() });
      const page = await context.newPage();
      await page.goto(this.page.url());
      const label = `${name}-${this.width}-${colorScheme}`;
      await page.screenshot({ path: join(this.pictures, `${label}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      if (wide) this.findings.push(`${label}: wider than the screen`);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, impact, nodes } of violations) {
        this.findings.push(`${label}: ${impact} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
      }
      await context.close();
    }
  }

  leave() {
    return this.context.close();
  }
}
