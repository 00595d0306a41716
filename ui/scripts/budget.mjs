// Fails the build when a visitor would have to load too much. Sizes are of the brotli form, which is what travels.
import { brotli } from './precompress.mjs';

export const FIRST_ROUTE_BYTES = 60_000;
export const OTHER_ROUTE_BYTES = 30_000;
/** Menus and dialogs. They come in one file for all pages, when the first screen is there. */
export const LAYERS_BYTES = 45_000;
export const CSS_BYTES = 15_000;
const FIRST_PAGE = /features\/tenancy\/orgs\/Orgs\.svelte$/;

/** @returns {import('vite').Plugin} */
export function budget() {
  return {
    name: 'budget',
    apply: 'build',
    writeBundle(_, bundle) {
      const report = measure(bundle);
      for (const { name, bytes, limit } of report) {
        console.log(`budget: ${name.padEnd(28)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of ${limit / 1000} kB`);
      }
      const over = report.filter(({ bytes, limit }) => bytes > limit);
      if (over.length) this.error(`over the size budget: ${over.map(({ name }) => name).join(', ')}`);
    },
  };
}

/** @param {Record<string, any>} bundle what Rollup hands to writeBundle */
export function measure(bundle) {
  const sizes = new Map();
  const size = (/** @type {string} */ file) => {
    const part = bundle[file];
    if (!sizes.has(file)) sizes.set(file, brotli(part.code ?? part.source).length);
    return sizes.get(file);
  };
  const total = (/** @type {Set<string>} */ files) => [...files].reduce((sum, file) => sum + size(file), 0);

  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  const start = closure(bundle, entry.fileName);
  const layers = chunks.find(({ name }) => name === 'layers');
  if (start.has(layers.fileName)) throw new Error('budget: the first screen waits for menus and dialogs');
  const report = [{ name: 'layers', bytes: size(layers.fileName), limit: LAYERS_BYTES }];
  for (const chunk of chunks.filter(({ isDynamicEntry }) => isDynamicEntry)) {
    const files = closure(bundle, chunk.fileName);
    if (FIRST_PAGE.test(chunk.facadeModuleId ?? '')) {
      report.push({ name: 'first route', bytes: total(new Set([...start, ...files])), limit: FIRST_ROUTE_BYTES });
    } else {
      const added = new Set([...files].filter((file) => !start.has(file) && bundle[file] !== layers));
      report.push({ name: chunk.name, bytes: total(added), limit: OTHER_ROUTE_BYTES });
    }
  }
  if (!report.some(({ name }) => name === 'first route')) throw new Error('budget: the first page was not found');
  const css = new Set(Object.keys(bundle).filter((file) => file.endsWith('.css')));
  report.push({ name: 'all styles', bytes: total(css), limit: CSS_BYTES });
  return report;
}

/**
 * The chunk and everything it imports before it can run.
 * @param {Record<string, any>} bundle
 * @param {string} file
 */
function closure(bundle, file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const imported of bundle[file].imports) {
    if (bundle[imported]) closure(bundle, imported, seen);
  }
  return seen;
}
