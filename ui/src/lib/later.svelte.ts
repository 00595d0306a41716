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
        .catch(() => {}); // what to do is said for all of them: see App; the next press tries again
    },
  };
}
