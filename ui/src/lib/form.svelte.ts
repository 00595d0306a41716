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
  /** Each field by its label, as people read it; what differs must read differently. `both` is what is held against each other. */
  describe: (value: T, both: { before: T; now: T }) => Record<string, string>;
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

/** What was saved on top of what was read, until it is read back. */
interface Saved<D> {
  draft: D;
  /** A save moves it by one, if at all. */
  revision: number;
}

export function createForm<T extends { revision: number }, D extends object, C, R>(options: Options<T, D, C, R>): Form<D, C, R> {
  const { read, open, compare, describe, refresh } = options;
  const kept = keepDraft<{ base: T; draft: D; saved: Saved<D> | null }>(options.name, () => (changes === null ? null : { base, draft, saved }));
  let base: T = $state.raw(kept?.base ?? untrack(read));
  let draft: D = $state(kept?.draft ?? open(untrack(read)));
  let saved: Saved<D> | null = $state.raw(kept?.saved ?? null);
  const changes: C | null = $derived(saved && same(draft, saved.draft) ? null : compare(base, draft));
  const action = createAction(
    async (changes: C, revision: number) => {
      const sent = $state.snapshot(draft) as D;
      const answer = await options.save(changes, revision);
      saved = { draft: sent, revision: revision + 1 };
      return answer;
    },
    { done: options.done, notify: false },
  );
  const theirs = $derived(changes === null || saved || action.busy ? [] : differences(base, read()));

  function differences(before: T, now: T): Difference[] {
    const both = { before, now };
    const [old, latest] = [describe(before, both), describe(now, both)];
    return [...new Set([...Object.keys(old), ...Object.keys(latest)])]
      .map((field) => ({ field, before: old[field] ?? 'none', now: latest[field] ?? 'none' }))
      .filter((one) => one.before !== one.now);
  }

  function goOn(latest: T, next: D) {
    base = latest;
    draft = next;
    saved = null;
  }

  /** `isFresh`: it was read after the save. */
  function arrive(latest: T, isFresh = false) {
    if (saved ? !isFresh && latest.revision <= base.revision : latest === base) return;
    if (changes === null) return goOn(latest, open(latest));
    if (saved && latest.revision <= saved.revision) return goOn(latest, merged(saved.draft, draft, open(latest), 'mine'));
    saved = null;
    if (theirs.length === 0) goOn(latest, merged(open(base), draft, open(latest), 'mine'));
  }

  /** Whether everything could be read again. */
  async function readAgain(): Promise<boolean> {
    const reading = refresh().map((queryKey) => queryClient.invalidateQueries({ queryKey }, { throwOnError: true }));
    const outcomes = await Promise.allSettled(reading);
    await arrival();
    return outcomes.every(({ status }) => status === 'fulfilled');
  }

  $effect.pre(() => {
    const latest = read();
    if (!action.busy) untrack(() => arrive(latest));
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
      const done = await action.run(changes, saved?.revision ?? base.revision);
      if (done) {
        const isFresh = await readAgain();
        arrive(read(), isFresh);
      } else if (action.error?.code === 'CHANGED_MEANWHILE') {
        await readAgain();
        saved = null;
      }
      return done;
    },
    reset() {
      action.clear();
      if (saved) draft = saved.draft;
      else goOn(read(), open(read()));
    },
    merge(whose) {
      action.clear();
      goOn(read(), merged(open(base), draft, open(read()), whose));
    },
  };
}

/** What both made of what was there `before`. Where both changed a field, `whose` stays; lists are one field each. */
function merged<D extends object>(before: D, mine: D, theirs: D, whose: 'mine' | 'theirs'): D {
  const result = { ...theirs };
  for (const field of Object.keys(theirs) as (keyof D)[]) {
    const [was, my, their] = [before[field], mine[field], theirs[field]];
    if (isRecord(was) && isRecord(my) && isRecord(their)) result[field] = merged(was, my, their, whose);
    else if (!same(my, was) && (whose === 'mine' || same(their, was))) result[field] = my;
  }
  return result;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Pages hear of a finished read one turn after whoever waited for it. */
export function arrival(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
