// Something a person sets off: one at a time, with its failure shown and what it changed read again.

import type { QueryKey } from '@tanstack/svelte-query';
import { ApiError } from './api/client';
import { queryClient } from './api/queries';
import { toast } from './toast.svelte';

interface Options<A extends unknown[], R> {
  /** What to say when it worked; the words of the button in the past tense. */
  done?: string | ((result: R, ...args: A) => string);
  /** Which reads are out of date now. */
  refresh?: QueryKey[] | ((result: R, ...args: A) => QueryKey[]);
  /** False when the form shows the failure itself. */
  notify?: boolean;
}

export interface Action<A extends unknown[], R> {
  readonly busy: boolean;
  readonly error: ApiError | null;
  /** The failure, when it is about this field. */
  field(name: string): string | undefined;
  /** The result, or undefined when it failed or was already running. */
  run(...args: A): Promise<{ ok: true; value: R } | undefined>;
  clear(): void;
}

export function createAction<A extends unknown[], R>(
  perform: (...args: A) => Promise<R>,
  options: Options<A, R> = {},
): Action<A, R> {
  let busy = $state(false);
  let error = $state.raw<ApiError | null>(null);

  return {
    get busy() {
      return busy;
    },
    get error() {
      return error;
    },
    field: (name) => (error?.field === name ? error.fieldText : undefined),
    clear: () => (error = null),
    async run(...args) {
      if (busy) return undefined; // the second of two quick clicks
      busy = true;
      error = null;
      try {
        const value = await perform(...args);
        const { done, refresh } = options;
        if (done) toast.ok(typeof done === 'function' ? done(value, ...args) : done);
        const stale = (typeof refresh === 'function' ? refresh(value, ...args) : refresh) ?? [];
        await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
        return { ok: true, value };
      } catch (cause) {
        error = asApiError(cause);
        if (options.notify !== false && !error.handled) toast.error(error.message, error.requestId);
        return undefined;
      } finally {
        busy = false;
      }
    },
  };
}

function asApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  console.error(cause);
  return new ApiError(0, 'PAGE_FAILED', 'Something went wrong on this page. Reload it and try again.');
}
