import { beforeEach, expect, test, vi } from 'vitest';
import { createAction } from '../../src/lib/action.svelte';
import { ApiError } from '../../src/lib/api/client';
import { queryClient } from '../../src/lib/api/queries';
import { toast } from '../../src/lib/toast.svelte';

beforeEach(() => {
  toast.list = [];
});

test('a second click while the first is running does nothing', async () => {
  let finish = (_: number) => {};
  const perform = vi.fn(() => new Promise<number>((done) => (finish = done)));
  const action = createAction(perform);
  const first = action.run();
  expect(action.busy).toBe(true);
  expect(await action.run()).toBeUndefined();
  finish(7);
  expect(await first).toEqual({ ok: true, value: 7 });
  expect(perform).toHaveBeenCalledOnce();
  expect(action.busy).toBe(false);
});

test('a success is said, and what it changed is read again', async () => {
  const refresh = vi.spyOn(queryClient, 'invalidateQueries').mockResolvedValue();
  const action = createAction(async (name: string) => name.length, {
    done: (size, name) => `Deleted ${name} (${size})`,
    refresh: (_, name) => [['org', name]],
  });
  await action.run('abc');
  expect(toast.list.map((one) => [one.tone, one.text])).toEqual([['ok', 'Deleted abc (3)']]);
  expect(refresh).toHaveBeenCalledExactlyOnceWith({ queryKey: ['org', 'abc'] });
});

test('a failure is said with its reference and belongs to its field', async () => {
  const action = createAction(async () => {
    throw new ApiError(400, 'INVALID_PARAMETER', 'name: a name has at most 64 characters', 'r1', { parameter: 'name' });
  });
  expect(await action.run()).toBeUndefined();
  expect(toast.list[0]).toMatchObject({ tone: 'bad', text: 'name: a name has at most 64 characters', requestId: 'r1' });
  expect(action.field('name')).toBe('A name has at most 64 characters.');
  expect(action.field('slug')).toBeUndefined();
  action.clear();
  expect(action.error).toBeNull();
});

test('what the page shows by itself is not said twice', async () => {
  const again = createAction(async () => {
    throw new ApiError(403, 'SIGN_IN_AGAIN', 'Sign in.');
  });
  const quiet = createAction(
    async () => {
      throw new ApiError(409, 'CONFLICT', 'Taken.');
    },
    { notify: false },
  );
  await again.run();
  await quiet.run();
  expect(toast.list).toEqual([]);
  expect(quiet.error?.code).toBe('CONFLICT');
});

test('a bug is told in words a person can act on', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const action = createAction(async () => {
    throw new TypeError('x is undefined');
  });
  await action.run();
  expect(action.error?.code).toBe('PAGE_FAILED');
  expect(toast.list[0]?.text).not.toContain('undefined');
});
