// Short notes at the corner of the screen. A success goes by itself, a failure stays until it is read.

export interface Toast {
  id: number;
  tone: 'ok' | 'bad';
  text: string;
  /** Reference to quote when asking for help. */
  requestId?: string | null;
}

const STAYS_MS = { ok: 5_000, bad: 15_000 };
const AT_MOST = 4;

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  ok(text: string) {
    this.#add({ tone: 'ok', text });
  }

  error(text: string, requestId?: string | null) {
    this.#add({ tone: 'bad', text, requestId });
  }

  dismiss(id: number) {
    this.list = this.list.filter((one) => one.id !== id);
  }

  #add(toast: Omit<Toast, 'id'>) {
    const id = this.#next++;
    // Said again it takes the place of the one before.
    const others = this.list.filter((one) => one.tone !== toast.tone || one.text !== toast.text);
    this.list = [...others, { ...toast, id }].slice(-AT_MOST);
    setTimeout(() => this.dismiss(id), STAYS_MS[toast.tone]);
  }
}

export const toast = new Toasts();

/** What no note may lie on, because it is pressed next: `{@attach keepClear}`. */
export const clear = new Set<Element>();

export function keepClear(node: Element): () => void {
  clear.add(node);
  return () => clear.delete(node);
}

interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** How far from the bottom of the screen the notes begin, so that they lie on none of the boxes. */
export function liftOver(boxes: readonly Box[], notes: { left: number; right: number; height: number }, screen: number, gap: number): number {
  let from = gap;
  for (const box of [...boxes].sort((a, b) => b.bottom - a.bottom)) {
    const beside = box.right <= notes.left || box.left >= notes.right;
    const apart = box.top >= screen - from || box.bottom <= screen - from - notes.height;
    if (!beside && !apart) from = screen - box.top + gap / 2;
  }
  return from;
}
