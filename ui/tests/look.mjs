// Opens every screen of dist/ at two widths and in both themes, takes pictures, asks axe, and listens for breaches of the
// content policy.
//
//     npm run build && node tests/look.mjs FOLDER [word in the screen's name]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from './browser.mjs';
import { act, SCREENS, wrongWith } from './screens.mjs';

const [folder = '/tmp/look', word = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const on = await open();
const findings = [];

for (const [name, [path, world, what]] of Object.entries(SCREENS)) {
  if (!name.includes(word)) continue;
  for (const width of [1280, 375]) {
    for (const colorScheme of ['light', 'dark']) {
      const label = `${name}-${width}-${colorScheme}`;
      const wrong = [];
      const page = await on.page({ world, width, colorScheme, notes: true }, wrong);
      await on.goto(page, path);
      await act(page, width, what);
      await page.screenshot({ path: join(folder, `${label}.png`), fullPage: !what });
      wrong.push(...(await wrongWith(page)));
      findings.push(...wrong.map((one) => `${label}: ${one}`));
      await page.context().close();
    }
  }
}
await on.close();
for (const one of findings) console.log(one);
console.log(`${findings.length} findings`);
process.exitCode = findings.length ? 1 : 0;
