// What a picker shows for what was typed, and where its keys lead.

export interface Pick {
  /** What is stored; it is found by this too. */
  value: string;
  label: string;
  /** The heading that it stands under. */
  group?: string;
  /** Of a dot before it; null is a dot without one. */
  colour?: string | null;
  /** Why it cannot be chosen. It is shown all the same. */
  reason?: string | null;
  /** What to know before it is chosen. */
  note?: string | null;
}

const PAGE = 10;
const MENTION = /^<(?:@&|#)(\d*)>?$/;

/** Letters as people type them: names with hyphens are found by words, mentions by their id. */
function plain(text: string): string {
  const id = MENTION.exec(text.trim())?.[1];
  if (id !== undefined) return id;
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()
    .replace(/^[#@]/, '');
}

/** Those that have what was typed in their name, the name of their group or their value, in the order given. */
export function found(options: readonly Pick[], typed: string): Pick[] {
  const wanted = plain(typed);
  return options.filter(({ label, group, value }) => plain(label).includes(wanted) || plain(group ?? '').includes(wanted) || value.startsWith(wanted));
}

/** The one that this is the name of; none when several have it. */
export function named(options: readonly Pick[], typed: string): Pick | undefined {
  const wanted = plain(typed);
  const same = options.filter(({ label, value }) => plain(label) === wanted || value === wanted);
  return same.length === 1 ? same[0] : undefined;
}

/** Which one Enter would choose: the first that begins with what was typed, then the first that can be chosen. -1 is none. */
export function likeliest(shown: readonly Pick[], typed: string): number {
  const wanted = plain(typed);
  const usable = (one: Pick) => !one.reason;
  const begins = shown.findIndex((one) => usable(one) && plain(one.label).startsWith(wanted));
  return begins >= 0 ? begins : shown.findIndex(usable);
}

/** Where a key leads in a list of so many; null when it is none of the list's. Those that cannot be chosen are on the way, so that their reason is read out. */
export function step(key: string, at: number, length: number): number | null {
  const last = length - 1;
  switch (key) {
    case 'ArrowDown':
      return at >= last ? Math.min(0, last) : at + 1;
    case 'ArrowUp':
      return at <= 0 ? last : at - 1;
    case 'PageDown':
      return Math.min(at + PAGE, last);
    case 'PageUp':
      return Math.min(Math.max(at - PAGE, 0), last);
    case 'Home':
      return Math.min(0, last);
    case 'End':
      return last;
    default:
      return null;
  }
}

/** Runs of one group each, with the places of their entries in the whole. */
export function runs(shown: readonly Pick[]): Array<{ group: string; entries: Array<{ pick: Pick; at: number }> }> {
  const list: ReturnType<typeof runs> = [];
  shown.forEach((pick, at) => {
    const group = pick.group ?? '';
    if (list.at(-1)?.group !== group) list.push({ group, entries: [] });
    list.at(-1)?.entries.push({ pick, at });
  });
  return list;
}

/** On which side of a field the list has room, and how much of it. */
export function room(field: { top: number; bottom: number }, view: { top: number; bottom: number }, wanted = 360): { above: boolean; height: number } {
  const [over, under] = [field.top - view.top, view.bottom - field.bottom];
  const above = under < Math.min(wanted, 220) && over > under;
  return { above, height: Math.max(120, Math.min(wanted, above ? over : under)) };
}
