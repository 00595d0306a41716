import { afterEach, expect, test, vi } from 'vitest';
import { isOutdated } from '../../src/shell/version';

const START = '/app/assets/index-old.js';

function serving(answer: () => Promise<Response>) {
  document.head.innerHTML = `<script type="module" src="${START}"></script>`;
  vi.stubGlobal('fetch', answer);
}

afterEach(() => void (document.head.innerHTML = ''));

test('a newer version is told from a network that is away', async () => {
  const page = (start: string) => async () => new Response(`<script type="module" src="${start}"></script>`);
  serving(page('/app/assets/index-new.js'));
  expect(await isOutdated()).toBe(true);
  serving(page(START));
  expect(await isOutdated()).toBe(false);
  serving(async () => Promise.reject(new TypeError('away')));
  expect(await isOutdated()).toBe(false);
  serving(async () => new Response('Broken', { status: 503 }));
  expect(await isOutdated()).toBe(false);
});
