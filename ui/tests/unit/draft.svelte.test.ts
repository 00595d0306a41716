import { flushSync } from 'svelte';
import { expect, test } from 'vitest';
import { createDraft } from '../../src/lib/draft.svelte';

function started() {
  let read = $state.raw({ name: 'Old' });
  let draft!: ReturnType<typeof make>;
  const make = () =>
    createDraft(
      () => read,
      (value) => ({ ...value }),
      (base, now) => (base.name === now.name ? null : now.name),
    );
  const stop = $effect.root(() => {
    draft = make();
  });
  flushSync();
  return {
    draft,
    stop,
    arrives(name: string) {
      read = { name };
      flushSync();
    },
  };
}

test('an untouched form follows what is read', () => {
  const { draft, arrives, stop } = started();
  arrives('Newer');
  expect(draft.value.name).toBe('Newer');
  expect(draft.dirty).toBe(false);
  stop();
});

test('what somebody typed is not overwritten by what arrives meanwhile', () => {
  const { draft, arrives, stop } = started();
  draft.value.name = 'Mine';
  flushSync();
  arrives('Theirs');
  expect(draft.value.name).toBe('Mine');
  expect(draft.changes).toBe('Mine');
  draft.reset();
  expect(draft.value.name).toBe('Theirs');
  expect(draft.dirty).toBe(false);
  stop();
});

test('after saving, what the server made of it is the truth', async () => {
  const { draft, arrives, stop } = started();
  draft.value.name = ' Mine ';
  flushSync();
  setTimeout(() => arrives('Mine'));
  await draft.settle();
  expect(draft.value.name).toBe('Mine');
  expect(draft.dirty).toBe(false);
  stop();
});
