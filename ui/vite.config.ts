import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { budget } from './scripts/budget.mjs';
import { precompress } from './scripts/precompress.mjs';

const SERVER = 'http://127.0.0.1:8080';
const SERVED_BY_THE_SERVER = ['/api', '/auth', '/link', '/unlink', '/invite', '/download', '/me'];

const LAYERS =
  /node_modules\/(bits-ui|svelte-toolbelt|runed|tabbable|@floating-ui)\/|src\/lib\/ui\/(Layer|LayerHead|Dialog|Drawer|ConfirmDialog|Combobox|MenuLayer|MenuTrigger|RefusedCalls)\.svelte/;

export default defineConfig({
  base: '/app/',
  plugins: [svelte(), svelteTesting(), budget(), precompress()],
  resolve: {
    alias: { $lib: new URL('./src/lib', import.meta.url).pathname },
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Small files become files too: the content policy of the dashboard allows no fonts or scripts from data: addresses.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What the first screen needs comes in one file, what opens above a page in a second, which is fetched when there
        // is time, and what else several pages share in a third.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'] },
            { name: 'layers', test: LAYERS },
            { name: 'operators', test: /src\/features\/admin\//, minShareCount: 2 },
            // Not what takes fields, which come with the dialogs.
            { name: 'kit', test: /src\/lib\/(?!ui\/SearchBox)|@lucide/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(SERVED_BY_THE_SERVER.map((path) => [path, SERVER])),
  },
  test: {
    environment: 'jsdom',
    include: ['tests/unit/**/*.test.ts'],
    setupFiles: ['tests/unit/setup.ts'],
    restoreMocks: true,
  },
});
