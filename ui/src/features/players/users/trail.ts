// The way through the pages of a list that only knows its next page. `list` tells lists apart: their filters and order.

export class Trail {
  #before = new Map<string, string>();

  /** Somebody goes from one page to the next; blank is the first. */
  step(list: string, from: string, to: string) {
    this.#before.set(`${list} ${to}`, from);
  }

  /** The page before this one; the first where nobody came from another. Null on the first. */
  previous(list: string, cursor: string): string | null {
    return cursor === '' ? null : (this.#before.get(`${list} ${cursor}`) ?? '');
  }

  /** Counted from 1; null where nobody came here from the first one. */
  page(list: string, cursor: string): number | null {
    let at: string | undefined = cursor;
    for (let page = 1; at !== undefined && page <= this.#before.size + 1; page += 1) {
      if (at === '') return page;
      at = this.#before.get(`${list} ${at}`);
    }
    return null;
  }
}
