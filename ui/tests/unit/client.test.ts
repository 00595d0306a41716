import { beforeEach, describe, expect, test, vi } from 'vitest';
import { address, ApiError, call, download } from '../../src/lib/api/client';
import { worthRetrying } from '../../src/lib/api/queries';
import type { Me } from '../../src/lib/api/schema';
import { session, signInAddress } from '../../src/lib/session.svelte';

function answers(status: number, body: unknown, headers: Record<string, string> = {}) {
  const spy = vi.fn<typeof fetch>(async () => new Response(body === undefined ? null : JSON.stringify(body), { status, headers }));
  vi.stubGlobal('fetch', spy);
  return spy;
}

async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

beforeEach(() => {
  session.maintenance = null;
  session.asks = null;
  session.signedOut = false;
  session.me = null;
});

describe('what is sent', () => {
  test('a read goes to /api with its parameters encoded and no body', async () => {
    const spy = answers(200, { entries: [] });
    await call('GET /orgs/{org}/audit', { path: { org: 'a/b' }, query: { action: 'key.reveal', limit: 50, before: undefined } });
    const [url, init] = spy.mock.calls[0]!;
    expect(url).toBe('/api/orgs/a%2Fb/audit?action=key.reveal&limit=50');
    expect(init).toMatchObject({ method: 'GET', body: undefined, credentials: 'same-origin' });
  });

  test('a change always says it is JSON, with a body even when there is nothing to say', async () => {
    const spy = answers(204, undefined);
    expect(await call('POST /account/sign-out')).toBeUndefined();
    const [, init] = spy.mock.calls[0]!;
    expect(init?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(init?.body).toBe('{}');
  });

  test('the body of a change is sent as it is', async () => {
    const spy = answers(201, { id: '1', slug: 'a' });
    expect(await call('POST /orgs', { body: { name: 'A', slug: 'a' } })).toEqual({ id: '1', slug: 'a' });
    expect(spy.mock.calls[0]![1]?.body).toBe('{"name":"A","slug":"a"}');
  });

  test('a press that may have got through is sent again under the same key, the next one under a new one', async () => {
    const key = (spy: ReturnType<typeof answers>, at: number) => new Headers(spy.mock.calls[at]![1]?.headers).get('idempotency-key');
    const press = () => call('POST /orgs', { body: { name: 'A', slug: 'press' } });
    const lost = vi.fn<typeof fetch>(async () => Promise.reject(new TypeError('lost')));
    vi.stubGlobal('fetch', lost);
    expect((await refusal(press())).code).toBe('NO_ANSWER');
    const failing = answers(503, { code: 'STORAGE_UNAVAILABLE', message: 'Later.' });
    await refusal(press());
    const working = answers(201, { id: '1', slug: 'press' });
    await Promise.all([press(), press()]);
    await press();
    await call('POST /orgs', { body: { name: 'A', slug: 'other' } });
    const first = key(lost, 0);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([key(failing, 0), key(working, 0), key(working, 1)]).toEqual([first, first, first]);
    expect(new Set([first, key(working, 2), key(working, 3)]).size).toBe(3);
  });

  test('nothing but what makes something has a key', async () => {
    const spy = answers(204, undefined);
    await call('POST /account/sign-out');
    expect(new Headers(spy.mock.calls[0]![1]?.headers).has('idempotency-key')).toBe(false);
  });

  test('an address for a download leaves empty filters out', () => {
    expect(address('/orgs/{org}/audit/export', { org: '1' }, { format: 'csv', actor: '', from_ms: null })).toBe(
      '/api/orgs/1/audit/export?format=csv',
    );
  });
});

describe('what comes back', () => {
  test('a page that asks by itself wants a sign-in once, a person with every press', async () => {
    answers(401, { code: 'SIGN_IN_REQUIRED', message: 'Sign in.' });
    session.me = { id: 'usr_1' } as Me;
    const draw = () => refusal(call('POST /orgs/{org}/navigation/preview', { path: { org: '1' }, body: { buttons: [] } as never, unasked: true }));
    await draw();
    expect(session.asks).toBe('ended');
    session.asks = null;
    await draw();
    expect(session.asks).toBeNull();
    await refusal(call('POST /orgs', { body: { name: 'A', slug: 'a' } }));
    expect(session.asks).toBe('ended');
  });

  test('a refusal keeps its code, text, reference and extras', async () => {
    answers(403, { status: 403, code: 'MISSING_PERMISSION', message: 'Ask for it.', request_id: 'r1', permission: 'org.team' });
    const error = await refusal(call('GET /account'));
    expect(error).toMatchObject({ status: 403, code: 'MISSING_PERMISSION', message: 'Ask for it.', requestId: 'r1', permission: 'org.team' });
    expect(error.handled).toBe(false);
  });

  test('a wait that was asked for is kept', async () => {
    answers(429, { code: 'RATE_LIMITED', message: 'Slow down.' }, { 'retry-after': '7', 'x-request-id': 'r2' });
    expect(await refusal(call('GET /account'))).toMatchObject({ retryAfterSeconds: 7, requestId: 'r2' });
  });

  test('an answer that is not JSON still says what to do', async () => {
    vi.stubGlobal('fetch', async () => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    expect(await refusal(call('GET /account'))).toMatchObject({ status: 502, code: 'UNREADABLE', message: expect.stringContaining('Try again') });
  });

  test('a success that is not JSON is a failure', async () => {
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 200 }));
    expect((await refusal(call('GET /account'))).code).toBe('UNREADABLE');
  });

  test('no answer at all says to check the connection', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('offline')));
    expect(await refusal(call('GET /account'))).toMatchObject({ status: 0, code: 'NO_ANSWER' });
  });

  test('a read that was called off is not a failure of the server', async () => {
    const gone = new AbortController();
    vi.stubGlobal('fetch', async () => {
      gone.abort();
      throw new DOMException('gone', 'AbortError');
    });
    await expect(call('GET /account', { signal: gone.signal })).rejects.toBeInstanceOf(DOMException);
  });
});

describe('what interrupts the page', () => {
  test('maintenance shows the card with the text of the server', async () => {
    answers(503, { code: 'MAINTENANCE', message: 'Back at two.' });
    expect((await refusal(call('GET /account'))).handled).toBe(true);
    expect(session.maintenance).toBe('Back at two.');
  });

  test('a stale sign-in asks for a new one', async () => {
    answers(403, { code: 'SIGN_IN_AGAIN', message: 'Sign in again.' });
    await refusal(call('DELETE /orgs/{org}', { path: { org: '1' }, body: { confirm: 'a' } }));
    expect(session.asks).toBe('again');
  });

  test('without a session nothing is shown yet, and the way leads to the sign-in and back', async () => {
    answers(401, { code: 'SIGN_IN_REQUIRED', message: 'Sign in.' });
    const assign = vi.fn();
    vi.stubGlobal('location', { pathname: '/app/orgs/1', search: '?tab=x', assign });
    await refusal(call('GET /account'));
    expect(assign).toHaveBeenCalledExactlyOnceWith('/auth/discord/login?return_to=%2Fapp%2Forgs%2F1%3Ftab%3Dx');
  });

  test('a filter that the server would not take back is left out of the way back', () => {
    vi.stubGlobal('location', { pathname: '/app/orgs/1/audit', search: '?actor=a%20b' });
    expect(signInAddress()).toBe('/auth/discord/login?return_to=%2Fapp%2Forgs%2F1%2Faudit');
  });

  test('a session that ended while somebody works asks in place, and a read that goes on by itself only once', async () => {
    session.me = { id: 'usr_1' } as Me;
    answers(401, { code: 'SIGN_IN_REQUIRED', message: 'Sign in.' });
    const assign = vi.fn();
    vi.stubGlobal('location', { pathname: '/app/', search: '', assign });
    await refusal(call('GET /account'));
    expect([session.asks, session.signedOut]).toEqual(['ended', true]);
    session.asks = null;
    await refusal(call('GET /account'));
    expect(session.asks).toBeNull();
    await refusal(call('POST /account/sign-out'));
    expect(session.asks).toBe('ended');
    answers(200, { id: 'usr_1' });
    await call('GET /account');
    expect([session.asks, session.signedOut]).toEqual([null, false]);
    expect(assign).not.toHaveBeenCalled();
  });

  test('an answer to what was asked before the session ended does not take the question back', async () => {
    session.me = { id: 'usr_1' } as Me;
    let late: (answer: Response) => void = () => {};
    vi.stubGlobal('fetch', vi.fn<typeof fetch>(() => new Promise((done) => (late = done))));
    const slow = call('GET /account');
    answers(401, { code: 'SIGN_IN_REQUIRED', message: 'Sign in.' });
    await refusal(call('POST /account/sign-out'));
    late(new Response('{"id":"usr_1"}'));
    await slow;
    expect([session.asks, session.signedOut]).toEqual(['ended', true]);
  });

  test('a refusal in an organisation, and nowhere else, has the rights read again', async () => {
    const before = session.refusals;
    answers(403, { code: 'MISSING_PERMISSION', message: 'No.', permission: 'audit.view' });
    await refusal(call('GET /orgs/{org}/audit', { path: { org: '1' } }));
    expect(session.refusals).toBe(before + 1);
    answers(404, { code: 'NOT_FOUND', message: 'No.' });
    await refusal(call('GET /orgs/{org}/settings', { path: { org: '1' } }));
    expect(session.refusals).toBe(before + 2);
    await refusal(call('GET /account/sessions'));
    expect(session.refusals).toBe(before + 2);
  });
});

test('a file is saved under the name the server gave it; a refused one is a refusal', async () => {
  const link = { click: vi.fn(), href: '', download: '' };
  const create = vi.spyOn(document, 'createElement').mockReturnValue(link as unknown as HTMLElement);
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => {} }));
  answers(200, 'a,b', { 'content-disposition': 'attachment; filename="audit.csv"' });
  await download('/orgs/{org}/audit/export', { org: '1' }, { format: 'csv' });
  expect(link).toMatchObject({ href: 'blob:x', download: 'audit.csv' });
  answers(429, { code: 'EXPORTS_RUNNING', message: 'Two are under way.' });
  expect((await refusal(download('/orgs/{org}/audit/export', { org: '1' }))).code).toBe('EXPORTS_RUNNING');
  expect(link.click).toHaveBeenCalledOnce();
  create.mockRestore();
});

test('only a lost connection is tried again, and not for ever', () => {
  const lost = new ApiError(0, 'NO_ANSWER', '');
  expect(worthRetrying(0, lost)).toBe(true);
  expect(worthRetrying(2, lost)).toBe(false);
  expect(worthRetrying(0, new ApiError(403, 'MISSING_PERMISSION', ''))).toBe(false);
  expect(worthRetrying(0, new ApiError(503, 'MAINTENANCE', ''))).toBe(false);
  expect(worthRetrying(0, new Error('bug'))).toBe(false);
});
