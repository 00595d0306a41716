import type { Component } from 'svelte';

/** A part of the shell that is fetched when it is first wanted. */
export function later<C extends Component<any, any, any>>(load: () => Promise<{ default: C }>): { readonly part: C | null; want: () => void } {
  let part = $state.raw<C | null>(null);
  return {
    get part() {
      return part;
    },
    want() {
      if (part) return;
      load()
        .then((module) => (part = module.default))
        .catch(() => {}); // its file is gone: the banner about a new version says what to do
    },
  };
}
