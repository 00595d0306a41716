import { flushSync } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/client';
import type { Me } from '../../src/lib/api/schema';
import { forgetDrafts, keepDrafts } from '../../src/lib/drafts.svelte';
import { createForm } from '../../src/lib/form.svelte';
import { session } from '../../src/lib/session.svelte';

interface Thing {
  revision: number;
  name: string;
  note: string;
}

beforeEach(() => {
  session.me = { id: 'usr_1' } as Me;
  forgetDrafts();
});

function started(first: Partial<Thing> = {}) {
  let read = $state.raw<Thing>({ revision: 1, name: 'Old', note: 'Note', ...first });
  const save = vi.fn(async (_: Partial<Thing>, _revision: number) => {});
  let form!: ReturnType<typeof make>;
  const make = () =>
    createForm({
      name: 'thing',
      read: () => read,
      open: ({ name, note }) => ({ name, note }),
      compare(base, now) {
        const change: Partial<Thing> = {};
        if (base.name !== now.name.trim()) change.name = now.name.trim();
        if (base.note !== now.note) change.note = now.note;
        return Object.keys(change).length ? change : null;
      },
      describe: ({ name, note }) => ({ Name: name, Note: note }),
      save,
      done: 'Saved',
      refresh: () => [],
    });
  const stop = $effect.root(() => {
    form = make();
  });
  flushSync();
  return {
    form,
    save,
    stop,
    arrives(next: Partial<Thing>) {
      read = { ...read, revision: read.revision + 1, ...next };
      flushSync();
    },
    types(change: Partial<Thing>) {
      Object.assign(form.value, change);
      flushSync();
    },
  };
}

test('an untouched form follows what is read', () => {
  const { form, arrives, stop } = started();
  arrives({ name: 'Newer' });
  expect(form.value.name).toBe('Newer');
  expect(form.dirty).toBe(false);
  stop();
});

test('what somebody typed is not overwritten by what arrives meanwhile, which is shown beside it', () => {
  const { form, arrives, types, stop } = started();
  types({ name: 'Mine' });
  arrives({ name: 'Theirs' });
  expect(form.value.name).toBe('Mine');
  expect(form.theirs).toEqual([{ field: 'Name', before: 'Old', now: 'Theirs' }]);
  form.reset();
  expect(form.value.name).toBe('Theirs');
  expect(form.dirty).toBe(false);
  stop();
});

test('saving names the revision that was seen, and what the server made of it is the truth', async () => {
  const { form, save, arrives, types, stop } = started();
  types({ name: ' Mine ' });
  save.mockImplementation(async () => void setTimeout(() => arrives({ name: 'Mine' })));
  await form.save();
  expect(save).toHaveBeenCalledExactlyOnceWith({ name: 'Mine' }, 1);
  expect(form.value.name).toBe('Mine');
  expect(form.dirty).toBe(false);
  stop();
});

test('a refused save keeps the draft; going on with mine leaves their other fields, and names their revision', async () => {
  const { form, save, arrives, types, stop } = started();
  types({ name: 'Mine' });
  save.mockImplementationOnce(async () => {
    setTimeout(() => arrives({ name: 'Theirs', note: 'Their note' }));
    throw new ApiError(409, 'CHANGED_MEANWHILE', 'Changed.');
  });
  expect(await form.save()).toBeUndefined();
  expect(form.value).toEqual({ name: 'Mine', note: 'Note' });
  expect(form.theirs.map((one) => one.field)).toEqual(['Name', 'Note']);
  form.merge('mine');
  flushSync();
  expect(form.theirs).toEqual([]);
  expect(form.value).toEqual({ name: 'Mine', note: 'Their note' });
  await form.save();
  expect(save).toHaveBeenLastCalledWith({ name: 'Mine' }, 2);
  stop();
});

test('taking theirs drops what both changed, and keeps what only this person did', () => {
  const { form, arrives, types, stop } = started();
  types({ name: 'Mine', note: 'My note' });
  arrives({ name: 'Theirs' });
  form.merge('theirs');
  flushSync();
  expect(form.value).toEqual({ name: 'Theirs', note: 'My note' });
  expect(form.changes).toEqual({ note: 'My note' });
  expect(form.theirs).toEqual([]);
  stop();
});

test('a newer revision of what the form does not show is no conflict', async () => {
  const { form, save, arrives, types, stop } = started();
  types({ name: 'Mine' });
  arrives({});
  expect(form.theirs).toEqual([]);
  await form.save();
  expect(save).toHaveBeenCalledExactlyOnceWith({ name: 'Mine' }, 2);
  stop();
});

test('a draft that was kept is there again, once, and knows what it began from', () => {
  const first = started();
  first.types({ name: 'Mine' });
  expect(keepDrafts()).toBe(true);
  first.stop();
  const second = started({ revision: 2, name: 'Theirs' });
  expect(second.form.value.name).toBe('Mine');
  expect(second.form.theirs).toEqual([{ field: 'Name', before: 'Old', now: 'Theirs' }]);
  second.stop();
  const third = started();
  expect(third.form.dirty).toBe(false);
  third.stop();
});

test('a draft is not for somebody else, nor for another page, and an untouched form keeps none', () => {
  const first = started();
  expect(keepDrafts()).toBe(true);
  expect(sessionStorage.length).toBe(0);
  first.types({ name: 'Mine' });
  keepDrafts();
  first.stop();
  session.me = { id: 'usr_2' } as Me;
  const other = started();
  expect(other.form.dirty).toBe(false);
  other.stop();
  session.me = { id: 'usr_1' } as Me;
  history.replaceState(null, '', '/elsewhere');
  const elsewhere = started();
  expect(elsewhere.form.dirty).toBe(false);
  elsewhere.stop();
});
