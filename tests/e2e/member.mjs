// Somebody who uses the dashboard in a browser of their own, scripts and all.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { person } from './sandbox.mjs';
import { arrived, countCalls, PATIENCE_MS } from './waiting.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export class Member {
  constructor(browser, world, name) {
    Object.assign(this, { browser, world, name, id: person(world, name).discord_id, findings: [] });
  }

  /** Signs in by choosing who to be on the emulated page of Discord. */
  async arrive({ width = 1280, colorScheme = 'light' } = {}) {
    this.context = await this.browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
    this.context.setDefaultTimeout(PATIENCE_MS);
    await this.context.addInitScript(countCalls);
    await this.context.addInitScript(() => {
      globalThis.breaches = [];
      document.addEventListener('securitypolicyviolation', (event) => globalThis.breaches.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    this.page = await this.context.newPage();
    this.page.on('pageerror', (error) => this.findings.push(String(error)));
    this.page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) this.findings.push(`console: ${message.text()}`);
    });
    await this.page.goto(`${this.world.base_url}/app/`);
    await this.choose();
    await this.page.waitForURL(`${this.world.base_url}/app/`);
    await arrived(this.page);
    return this;
  }

  /** The page of Discord on which somebody chooses who they are. */
  choose() {
    return this.page.click(`button[name="as"][value="${this.id}"]`);
  }

  async open(path) {
    await this.page.goto(`${this.world.base_url}/app${path}`);
    await arrived(this.page);
  }

  click(name, role = 'button') {
    return this.page.getByRole(role, { name, exact: true }).click();
  }

  fill(label, text) {
    return this.page.getByLabel(label, { exact: true }).fill(text);
  }

  heading(name) {
    return this.page.getByRole('heading', { name, exact: true }).first().waitFor();
  }

  /** What the API answers this person, as the page itself would ask. */
  status(path) {
    return this.page.evaluate(async (path) => (await fetch(path)).status, path);
  }

  read(path) {
    return this.page.evaluate(async (path) => (await fetch(path)).json(), path);
  }

  /** A picture, and what axe, the policy and the width of the screen have against the page. */
  async look(pictures, label) {
    await this.page.screenshot({ path: join(pictures, `${label}.png`), fullPage: true });
    const wide = await this.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (wide) this.findings.push(`${label}: wider than the screen`);
    // Through the protocol, because the page's own policy lets no other script in.
    const world = await this.context.newCDPSession(this.page);
    await world.send('Runtime.evaluate', { expression: AXE });
    const { result } = await world.send('Runtime.evaluate', { expression: 'axe.run().then((found) => JSON.stringify(found.violations))', awaitPromise: true });
    for (const { id, impact, nodes } of JSON.parse(result.value)) {
      this.findings.push(`${label}: ${impact} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    }
    this.findings.push(...(await this.page.evaluate(() => globalThis.breaches)).map((breach) => `${label}: policy ${breach}`));
  }

  leave() {
    return this.context.close();
  }
}
