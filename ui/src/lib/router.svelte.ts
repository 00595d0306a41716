// Addresses under /app/. Links are plain anchors: a click on one is caught at the document.

import { tick } from 'svelte';

export const BASE = '/app';

export type Params = Record<string, string>;
export interface Pattern {
  path: string;
}

/** "/orgs/:org" against "/orgs/42": the parameters, or null when it does not fit. */
export function match(pattern: string, path: string): Params | null {
  const wanted = pattern.split('/').filter(Boolean);
  const found = path.split('/').filter(Boolean);
  if (wanted.length !== found.length) return null;
  const params: Params = {};
  for (const [i, part] of wanted.entries()) {
    const value = decode(found[i]!);
    if (value === null) return null;
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The first route that fits. */
export function find<R extends Pattern>(routes: readonly R[], path: string): { route: R; params: Params } | null {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return null;
}

/** The address of a page: `href('/orgs/:org/servers', { org })`. */
export function href(path: string, params: Params = {}, query: Record<string, string | null | undefined> = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return BASE + filled + search(new URLSearchParams(), query);
}

function search(from: URLSearchParams, change: Record<string, string | null | undefined>): string {
  const next = new URLSearchParams(from);
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  return text ? `?${text}` : '';
}

class Router {
  path = $state('/');
  query = $state.raw(new URLSearchParams());
  params = $state.raw<Params>({});
  /** Counts page changes, so that the page can move the focus once for each. */
  visits = $state(0);

  #patterns: readonly Pattern[] = [];
  /** What is not saved is kept elsewhere, so the page may be left, once. */
  #free = false;
  #guards = new Set<() => boolean>();
  #scrolls = new Map<number, number>();
  #index = 0;

  /** Reads the address and listens to it until the returned function is called. */
  start(patterns: readonly Pattern[]): () => void {
    this.#patterns = patterns;
    this.#index = Number(history.state?.index ?? 0);
    history.replaceState({ index: this.#index }, '');
    history.scrollRestoration = 'manual';
    this.#read();
    const click = (event: MouseEvent) => this.#click(event);
    const pop = (event: PopStateEvent) => this.#pop(event);
    const unload = (event: BeforeUnloadEvent) => {
      if (!this.#free && this.#blocked()) event.preventDefault();
      this.#free = false; // it may be shown again as it was: by Back, or because the way out was stopped
    };
    document.addEventListener('click', click);
    window.addEventListener('popstate', pop);
    window.addEventListener('beforeunload', unload);
    return () => {
      document.removeEventListener('click', click);
      window.removeEventListener('popstate', pop);
      window.removeEventListener('beforeunload', unload);
    };
  }

  /** Goes to an address made by `href`. False when unsaved changes hold the person back. */
  go(to: string, { replace = false, force = false } = {}): boolean {
    if (!force && this.#blocked()) return false;
    this.#scrolls.set(this.#index, scrollY);
    if (replace) {
      history.replaceState({ index: this.#index }, '', to);
    } else {
      this.#index += 1;
      history.pushState({ index: this.#index }, '', to);
    }
    this.#read();
    void this.#scroll(0);
    return true;
  }

  /** Filters, tabs and pages live in the query; changing them is not a visit to another page. */
  setQuery(change: Record<string, string | null | undefined>, { push = false } = {}) {
    const to = location.pathname + search(this.query, change);
    if (push) {
      this.#scrolls.set(this.#index, scrollY);
      this.#index += 1;
    }
    history[push ? 'pushState' : 'replaceState']({ index: this.#index }, '', to);
    this.#read();
  }

  /** The address of this page with another query, for links such as tabs and pages. */
  withQuery(change: Record<string, string | null | undefined>): string {
    return BASE + this.path + search(this.query, change);
  }

  /** While `blocks` says so, the page cannot be left. Call what is returned to lift it. */
  guard(blocks: () => boolean): () => void {
    this.#guards.add(blocks);
    return () => this.#guards.delete(blocks);
  }

  /** Lets the page go without a question, this time: what is on it was kept. */
  release() {
    this.#free = true;
  }

  #blocked(): boolean {
    // Every guard is asked, so that every unsaved bar on the page shows itself.
    return [...this.#guards].map((blocks) => blocks()).some(Boolean);
  }

  #read() {
    const path = here();
    this.query = new URLSearchParams(location.search);
    if (path !== this.path || this.visits === 0) {
      this.params = find(this.#patterns, path)?.params ?? {};
      this.path = path;
      this.visits += 1;
    }
  }

  #pop(event: PopStateEvent) {
    const index = Number(event.state?.index ?? 0);
    if (here() !== this.path && this.#blocked()) {
      history.go(this.#index - index); // back to where the unsaved changes are
      return;
    }
    this.#scrolls.set(this.#index, scrollY);
    this.#index = index;
    this.#read();
    void this.#scroll(this.#scrolls.get(index) ?? 0);
  }

  async #scroll(top: number) {
    await tick();
    scrollTo(0, top);
  }

  #click(event: MouseEvent) {
    if (event.defaultPrevented || !isPlain(event)) return;
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (!anchor || anchor.target || anchor.hasAttribute('download')) return;
    if (anchor.origin !== location.origin) return;
    if (anchor.pathname !== BASE && !anchor.pathname.startsWith(`${BASE}/`)) return;
    if (anchor.hash) return;
    event.preventDefault();
    if (anchor.pathname === location.pathname) this.setQuery(replacement(this.query, anchor.search), { push: true });
    else this.go(anchor.pathname + anchor.search);
  }
}

/** Whether a click follows the link in this tab. */
export function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

function here(): string {
  return location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';
}

/** The change that turns one query into another. */
function replacement(from: URLSearchParams, to: string): Record<string, string | null> {
  const change: Record<string, string | null> = {};
  for (const name of from.keys()) change[name] = null;
  for (const [name, value] of new URLSearchParams(to)) change[name] = value;
  return change;
}

export const router = new Router();
