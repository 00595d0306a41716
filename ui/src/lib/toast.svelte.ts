// Short notes at the corner of the screen. A success goes by itself, a failure stays until it is read.

export interface Toast {
  id: number;
  tone: 'ok' | 'info' | 'bad';
  text: string;
  /** Reference to quote when asking for help. */
  requestId?: string | null;
}

const STAYS_MS = { ok: 5_000, info: 5_000, bad: 15_000 };
const AT_MOST = 4;

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  ok(text: string) {
    this.#add({ tone: 'ok', text });
  }

  info(text: string) {
    this.#add({ tone: 'info', text });
  }

  error(text: string, requestId?: string | null) {
    this.#add({ tone: 'bad', text, requestId });
  }

  dismiss(id: number) {
    this.list = this.list.filter((one) => one.id !== id);
  }

  #add(toast: Omit<Toast, 'id'>) {
    const id = this.#next++;
    this.list = [...this.list, { ...toast, id }].slice(-AT_MOST);
    setTimeout(() => this.dismiss(id), STAYS_MS[toast.tone]);
  }
}

export const toast = new Toasts();
