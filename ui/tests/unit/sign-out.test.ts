import { beforeEach, expect, test, vi } from 'vitest';
import type { Me } from '../../src/lib/api/schema';
import { session } from '../../src/lib/session.svelte';
import { toast } from '../../src/lib/toast.svelte';
import { signOut } from '../../src/shell/sign-out';

const away = vi.fn();

function answers(status: number, code: string) {
  vi.stubGlobal('fetch', async () => new Response(status === 204 ? null : JSON.stringify({ code, message: 'No.' }), { status }));
}

beforeEach(() => {
  session.me = { id: 'usr_1' } as Me;
  session.asks = null;
  session.signedOut = false;
  away.mockReset();
  vi.stubGlobal('location', { pathname: '/app/', assign: away });
  sessionStorage.setItem('drafts', JSON.stringify({ account: 'usr_1', path: '/app/', drafts: { guild: {} } }));
});

test.each([
  ['who signs out', 204, ''],
  ['whose session is over already', 401, 'SIGN_IN_REQUIRED'],
])('%s leaves nothing behind and is asked nothing', async (_, status, code) => {
  answers(status, code);
  await signOut();
  expect(away).toHaveBeenCalledExactlyOnceWith('/');
  expect(sessionStorage.length).toBe(0);
  expect(session.asks).toBeNull();
});

test('who could not be signed out is told so and stays', async () => {
  const told = vi.spyOn(toast, 'error');
  answers(503, 'STORAGE_UNAVAILABLE');
  await signOut();
  expect(away).not.toHaveBeenCalled();
  expect(told).toHaveBeenCalledOnce();
});
