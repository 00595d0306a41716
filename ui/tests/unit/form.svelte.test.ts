import { flushSync } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/client';
import { queryClient } from '../../src/lib/api/queries';
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
  const save = vi.fn(async (_: Partial<Thing>, _revision: number): Promise<void> => {});
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
      refresh: () => [['thing']],
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
  await vi.waitFor(() => expect(form.value.name).toBe('Mine'));
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

/** A save that is answered when the test says so. */
function slow(save: ReturnType<typeof started>['save']) {
  let answer!: () => void;
  save.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  return () => answer();
}

test('what is typed while a save runs stays, and is saved next', async () => {
  const { form, save, arrives, types, stop } = started();
  types({ name: 'Mine' });
  const answer = slow(save);
  const saving = form.save();
  types({ note: 'Typed on' });
  arrives({ name: 'Mine', note: 'Note' });
  expect(form.theirs, 'my own save is not somebody else’s').toEqual([]);
  answer();
  await saving;
  flushSync();
  expect(form.value).toEqual({ name: 'Mine', note: 'Typed on' });
  expect(form.changes).toEqual({ note: 'Typed on' });
  expect(form.theirs).toEqual([]);
  await form.save();
  expect(save).toHaveBeenLastCalledWith({ note: 'Typed on' }, 2);
  stop();
});

test('what was saved is shown also while it cannot be read back, and the next save goes on top of it', async () => {
  vi.spyOn(queryClient, 'invalidateQueries').mockRejectedValue(new Error('away'));
  const { form, save, arrives, types, stop } = started();
  types({ name: 'Mine' });
  await form.save();
  flushSync();
  expect([form.value.name, form.dirty]).toEqual(['Mine', false]);
  types({ note: 'More' });
  form.reset();
  expect(form.value, 'back to what was saved').toEqual({ name: 'Mine', note: 'Note' });
  types({ note: 'More' });
  expect(form.theirs).toEqual([]);
  await form.save();
  expect(save).toHaveBeenLastCalledWith({ name: 'Mine', note: 'More' }, 2);
  types({ note: 'Most' });
  await form.save();
  expect(save).toHaveBeenLastCalledWith({ name: 'Mine', note: 'Most' }, 3);
  types({ name: 'Typed on' });
  arrives({ revision: 4, name: 'Mine', note: 'Most' });
  expect([form.changes, form.theirs]).toEqual([{ name: 'Typed on' }, []]);
  form.reset();
  expect([form.value, form.dirty]).toEqual([{ name: 'Mine', note: 'Most' }, false]);
  stop();
});

test('a save that changed nothing after all ends in what is there', async () => {
  const { form, save, types, stop } = started();
  types({ note: 'note' });
  await form.save();
  flushSync();
  expect([form.value.note, form.dirty]).toEqual(['Note', false]);
  types({ name: 'Mine' });
  await form.save();
  expect(save).toHaveBeenLastCalledWith({ name: 'Mine' }, 1);
  stop();
});

test('what somebody else saved right after me is not taken for mine', async () => {
  vi.spyOn(queryClient, 'invalidateQueries').mockRejectedValue(new Error('away'));
  const { form, arrives, types, stop } = started();
  types({ name: 'Mine' });
  await form.save();
  types({ note: 'Typed on' });
  arrives({ revision: 3, name: 'Mine', note: 'Theirs' });
  expect(form.theirs).toContainEqual({ field: 'Note', before: 'Note', now: 'Theirs' });
  expect(form.value.note).toBe('Typed on');
  stop();
});

test('a draft that was kept in a page that was not left is forgotten once it is saved or reset', async () => {
  for (const settle of ['save', 'reset'] as const) {
    const first = started();
    first.types({ name: 'Mine' });
    keepDrafts();
    await first.form[settle]();
    flushSync();
    first.stop();
    const second = started();
    expect(second.form.dirty, settle).toBe(false);
    second.stop();
  }
});
