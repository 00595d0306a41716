// A form over something that was read. It follows what is read until somebody edits it, and then compares with what
// they saw when they began.

import { untrack } from 'svelte';

export interface Draft<D, C> {
  /** What the fields are bound to. */
  value: D;
  /** What would be saved, or null when nothing differs. */
  readonly changes: C | null;
  readonly dirty: boolean;
  /** Back to what was read. */
  reset(): void;
  /** What the form holds was saved: the next thing that is read is the truth. */
  settle(): Promise<void>;
}

export function createDraft<T, D, C>(
  read: () => T,
  open: (value: T) => D,
  compare: (base: T, draft: D) => C | null,
): Draft<D, C> {
  let base = $state.raw(untrack(read));
  let draft = $state(open(untrack(read)));
  const changes = $derived(compare(base, draft));
  const follow = (value: T) => {
    base = value;
    draft = open(value);
  };

  $effect.pre(() => {
    const latest = read();
    untrack(() => {
      if (changes === null && latest !== base) follow(latest);
    });
  });

  return {
    get value() {
      return draft;
    },
    set value(next) {
      draft = next;
    },
    get changes() {
      return changes;
    },
    get dirty() {
      return changes !== null;
    },
    reset: () => follow(read()),
    async settle() {
      await told();
      follow(read());
    },
  };
}

/** Pages hear of a finished read one turn after whoever waited for it. */
export function told(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
