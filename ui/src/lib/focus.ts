// Where the reader has to look next.

import { tick } from 'svelte';

/** The first field that was found wrong; it may be far from the button that was pressed. */
export async function focusWrong(form: HTMLElement | null): Promise<void> {
  await tick();
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}
