import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { written } from '../../src/features/downloads/plugin/config-file';
import { frameworkOf } from '../../src/features/downloads/plugin/frameworks';
import { copyLater } from '../../src/lib/clipboard';
import { fixOf, ofKey, totalOf } from '../../src/lib/refusals';
import { bytes } from '../../src/lib/format';
import RefusedCalls from '../../src/lib/ui/RefusedCalls.svelte';

describe('the file of the plugin', () => {
  const content = { 'Service address': 'https://symbolon.example', 'Server key': '', 'Seconds between checks': 60 };

  test('has the key in its place and everything else as it came', () => {
    expect(written(content, 'svc_live_1')).toBe(
      '{\n  "Service address": "https://symbolon.example",\n  "Server key": "svc_live_1",\n  "Seconds between checks": 60\n}\n',
    );
    expect(written(content, '')).toBe(`${JSON.stringify(content, null, 2)}\n`);
    expect(content['Server key']).toBe('');
  });

  test('goes where its framework looks for it', () => {
    expect(frameworkOf('carbon')).toMatchObject({ config: 'carbon/configs', reload: 'c.reload Symbolon' });
    expect(frameworkOf(null).id).toBe('oxide');
    expect(frameworkOf('moon').id).toBe('oxide');
  });

  test('sizes are told in the largest unit that fits', () => {
    expect([812, 41_318, 40_000, 1_250_000].map(bytes)).toEqual(['812 B', '41.3 kB', '40 kB', '1.3 MB']);
  });
});

describe('copying what is on its way', () => {
  const stub = (clipboard: object) => vi.stubGlobal('navigator', { clipboard });
  afterEach(() => vi.unstubAllGlobals());

  test('hands over the promise where the browser takes one, and the text where it does not', async () => {
    const write = vi.fn(async ([item]: Array<{ parts: Record<string, Promise<Blob>> }>) => void (await item!.parts['text/plain']));
    class Item {
      constructor(readonly parts: Record<string, Promise<Blob>>) {}
    }
    stub({ write });
    vi.stubGlobal('ClipboardItem', Item);
    expect(await copyLater(Promise.resolve('a'))).toBe(true);
    expect(write).toHaveBeenCalledOnce();
    vi.stubGlobal('ClipboardItem', undefined);
    const writeText = vi.fn(async () => {});
    stub({ writeText });
    expect(await copyLater(Promise.resolve('b'))).toBe(true);
    expect(writeText).toHaveBeenCalledExactlyOnceWith('b');
  });

  test('a browser that refuses is told apart from a text that never came', async () => {
    stub({ writeText: () => Promise.reject(new Error('no')) });
    expect(await copyLater(Promise.resolve('a'))).toBe(false);
    await expect(copyLater(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  });
});

describe('refused calls', () => {
  const refused = [
    { key_id: 'k1', code: 'UNAUTHORIZED', calls: 1_200, last_hour_at_ms: 0 },
    { key_id: 'k1', code: 'RATE_LIMITED', calls: 3, last_hour_at_ms: 0 },
    { key_id: 'k2', code: 'KEY_REVOKED', calls: 1, last_hour_at_ms: 0 },
  ];

  test('belong to a key, and nothing is said before they are known', () => {
    expect(totalOf(ofKey(refused, 'k1')!)).toBe(1_203);
    expect(ofKey(refused, 'k3')).toEqual([]);
    expect(ofKey(undefined, 'k1')).toBeUndefined();
  });

  test('what to do depends on whose key it is', () => {
    expect(fixOf('KEY_REVOKED', 'plugin')).toContain('Regenerate it');
    expect(fixOf('KEY_REVOKED', 'custom')).toContain('Create a new key');
    expect(fixOf('UNAUTHORIZED', 'plugin')).toContain('regenerated');
    expect(fixOf('SERVER_INACTIVE', 'plugin')).toBe(fixOf('SERVER_INACTIVE', 'custom'));
    expect(fixOf('constructor', 'plugin')).toContain('“message”');
  });

  test('are quiet when there are none, and otherwise say what is wrong with each', async () => {
    const { rerender } = render(RefusedCalls, { calls: [], what: 'key of EU', kind: 'plugin' });
    expect(screen.getByText('None')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
    await rerender({ calls: ofKey(refused, 'k1') });
    await fireEvent.click(screen.getByRole('button', { name: /1,203 calls/ }));
    const text = (await screen.findByRole('dialog')).textContent;
    expect(text).toContain('With the key of EU, in the last 24 hours.');
    expect(text).toContain('RATE_LIMITED');
    expect(text).toContain(fixOf('UNAUTHORIZED', 'plugin'));
  });
});
