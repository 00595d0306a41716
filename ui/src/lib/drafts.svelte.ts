// What was typed and not saved, kept in this tab over whatever takes the page away: a sign-in, maintenance, a new version.
// It comes back once, to the same person on the same page.

import { session } from './session.svelte';

const KEY = 'drafts';

interface Kept {
  account: string | undefined;
  path: string;
  drafts: Record<string, unknown>;
}

const forms = new Map<string, () => unknown>();

/** What was kept under this name. From now on what `snapshot` gives is kept; null keeps nothing, and forgets what was. */
export function keepDraft<T>(name: string, snapshot: () => T | null): T | null {
  $effect(() => {
    forms.set(name, snapshot);
    return () => {
      if (forms.get(name) === snapshot) forms.delete(name);
    };
  });
  const found = take<T>(name);
  // Saved or reset in a page that was not left after all: what was kept is not to come back.
  $effect(() => {
    if (snapshot() === null) take(name);
  });
  return found;
}

/** Writes down every draft of the page. False when this browser does not let us. */
export function keepDrafts(): boolean {
  const drafts = { ...stored()?.drafts };
  for (const [name, snapshot] of forms) {
    const value = snapshot();
    if (value !== null) drafts[name] = value;
  }
  return store(drafts);
}

export function forgetDrafts() {
  store({});
}

/** Drafts of whoever was here before are nobody's business. */
export function forgetDraftsOfOthers() {
  if (load()?.account !== session.me?.id) forgetDrafts();
}

function take<T>(name: string): T | null {
  const { [name]: found, ...rest } = stored()?.drafts ?? {};
  if (found === undefined) return null;
  store(rest);
  return found as T;
}

/** What was kept for this person on this page. */
function stored(): Kept | null {
  const kept = load();
  return kept?.account === session.me?.id && kept?.path === location.pathname ? kept : null;
}

function load(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

function store(drafts: Kept['drafts']): boolean {
  try {
    if (Object.keys(drafts).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ account: session.me?.id, path: location.pathname, drafts } satisfies Kept));
    return true;
  } catch {
    return Object.keys(drafts).length === 0; // storage is switched off or full
  }
}
