// A form over something that was read. It follows what is read until somebody edits it, and is saved on top of the
// revision they saw: what somebody else saved meanwhile is shown beside the draft, never overwritten unseen.

import type { QueryKey } from '@tanstack/svelte-query';
import { untrack } from 'svelte';
import { createAction, type Action } from './action.svelte';
import { queryClient } from './api/queries';
import { keepDraft } from './drafts.svelte';

interface Options<T, D, C, R> {
  /** Tells the drafts of a page apart. */
  name: string;
  read: () => T;
  open: (value: T) => D;
  /** What would be saved, or null when nothing differs. */
  compare: (base: T, draft: D) => C | null;
  /** Each field by its label, as people read it. */
  describe: (value: T) => Record<string, string>;
  save: (changes: C, revision: number) => Promise<R>;
  /** What to say when it worked. */
  done: string | (() => string);
  /** Which reads are out of date after a save, this one among them. */
  refresh: () => QueryKey[];
}

/** A field that somebody else changed since this person began. */
export interface Difference {
  field: string;
  before: string;
  now: string;
}

export interface Form<D, C = unknown, R = unknown> {
  /** What the fields are bound to. */
  value: D;
  /** What would be saved, or null when nothing differs. */
  readonly changes: C | null;
  readonly dirty: boolean;
  /** What somebody else saved since this person began to edit. */
  readonly theirs: Difference[];
  readonly action: Action<[C, number], R>;
  /** The answer, or undefined when it was refused. */
  save(): Promise<{ ok: true; value: R } | undefined>;
  /** Back to what was read. */
  reset(): void;
  /** Goes on from what the other one saved. Where both changed the same field, `whose` says which one stays. */
  merge(whose: 'mine' | 'theirs'): void;
}

export function createForm<T extends { revision: number }, D extends object, C, R>(options: Options<T, D, C, R>): Form<D, C, R> {
  const { read, open, compare, describe, refresh } = options;
  const kept = keepDraft<{ base: T; draft: D }>(options.name, () => (changes === null ? null : { base, draft }));
  let base: T = $state.raw(kept?.base ?? untrack(read));
  let draft: D = $state(kept?.draft ?? open(untrack(read)));
  const changes = $derived(compare(base, draft));
  const theirs = $derived(changes === null ? [] : differences(describe(base), describe(read())));
  const action = createAction(options.save, { done: options.done, refresh, notify: false });

  function follow(value: T) {
    base = value;
    draft = open(value);
  }

  $effect.pre(() => {
    const latest = read();
    untrack(() => {
      if (latest === base) return;
      if (changes === null) follow(latest);
      else if (theirs.length === 0) base = latest; // nothing that the form shows
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
    get theirs() {
      return theirs;
    },
    action,
    async save() {
      if (changes === null) return undefined;
      const done = await action.run(changes, base.revision);
      if (done) {
        await arrival();
        follow(read());
      } else if (action.error?.code === 'CHANGED_MEANWHILE') {
        await Promise.all(refresh().map((queryKey) => queryClient.invalidateQueries({ queryKey })));
        await arrival();
      }
      return done;
    },
    reset() {
      action.clear();
      follow(read());
    },
    merge(whose) {
      action.clear();
      const [before, latest] = [open(base), read()];
      const now = open(latest);
      const mine = (field: keyof D) => !same(draft[field], before[field]);
      const changed = (field: keyof D) => !same(now[field], before[field]);
      for (const field of Object.keys(now) as (keyof D)[]) {
        if (mine(field) && (whose === 'mine' || !changed(field))) now[field] = draft[field];
      }
      base = latest;
      draft = now;
    },
  };
}

function differences(before: Record<string, string>, now: Record<string, string>): Difference[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...fields]
    .map((field) => ({ field, before: before[field] ?? 'none', now: now[field] ?? 'none' }))
    .filter((one) => one.before !== one.now);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Pages hear of a finished read one turn after whoever waited for it. */
export function arrival(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
