// Where the keyboard is. Nobody who works without a mouse is sent back to the top of the page because what they were on
// has gone: the focus goes to what took its place, or to what stands beside it.

import { tick } from 'svelte';
import { router } from './router.svelte';

interface Place {
  element: HTMLElement;
  /** Its ancestors, the nearest first, and which of their children led to it. */
  trail: Array<{ parent: Element; index: number }>;
  visit: number;
}

/** What lies above the page for a while, and leads back to it. */
const ABOVE = '[role="dialog"], [role="menu"], [data-above]';
const LANDMARK = 'main, aside, body';
const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex="0"]';

/** The last place on the page itself. */
let place: Place | null = null;
/** What has the focus, on the page or above it. */
let holder: HTMLElement | null = null;

function placeOf(element: HTMLElement): Place {
  const trail: Place['trail'] = [];
  for (let at: Element = element; at.parentElement && !at.matches(LANDMARK); at = at.parentElement) {
    trail.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) });
  }
  return { element, trail, visit: router.visits };
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.getClientRects().length > 0;
}

function firstIn(element: Element): HTMLElement | undefined {
  const found = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
  if (element.matches(FOCUSABLE)) found.unshift(element as HTMLElement);
  return found.find(isUsable);
}

/** The element itself while it is there; otherwise what came in its place, then what follows it, then what precedes it. */
function nearest({ element, trail }: Place): HTMLElement | undefined {
  if (isUsable(element)) return element;
  for (const { parent, index } of trail) {
    if (!parent.isConnected) continue;
    const children = [...parent.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const found = firstIn(child);
      if (found) return found;
    }
  }
  return undefined;
}

/** To where the keyboard was on the page; to the heading when the page is another one now. */
export function goBack(): void {
  const target = place && place.visit === router.visits ? nearest(place) : undefined;
  (target ?? document.querySelector<HTMLElement>('h1[tabindex]'))?.focus({ preventScroll: !target });
}

/** Watches over the focus until the returned function is called. */
export function keepFocus(): () => void {
  const note = () => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || at === document.body) return;
    holder = at;
    if (!at.closest(ABOVE)) place = placeOf(at);
  };
  // A click beside everything lets go of the focus; then nothing is missed when that element goes later.
  const release = () =>
    setTimeout(() => {
      if (document.activeElement === document.body && holder && isUsable(holder)) holder = null;
    });
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body && !document.activeElement?.matches(':disabled')) note();
    // On the way to another page the heading gets it, as soon as there is one.
    else if (holder && !isUsable(holder) && place?.visit === router.visits) goBack();
  });
  document.addEventListener('focusin', note);
  document.addEventListener('focusout', release);
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', note);
    document.removeEventListener('focusout', release);
    observer.disconnect();
    place = holder = null;
  };
}

/** The first field that was found wrong; it may be far from the button that was pressed. */
export async function focusWrong(form: HTMLElement | null): Promise<void> {
  await tick();
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}

/** `{@attach takesFocus}`: what is shown in place of what was pressed, such as the outcome of a form. */
export function takesFocus(node: HTMLElement): void {
  node.querySelector<HTMLElement>('a[href], button:not(:disabled)')?.focus();
}
