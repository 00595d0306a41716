// Days in a row: what stands for them on a drawing, and how they are said. The server's days are in UTC and have no time.

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A pile of numbers, one for each day. */
export interface Pile {
  label: string;
  values: ReadonlyArray<number>;
  /** A colour of the palette: what is told apart by it is told apart by place and words too. */
  fill: string;
}

/** "Nov 18, 2026" for 2026-11-18. */
export function dayWords(day: string): string {
  return DAY.format(Date.parse(`${day}T00:00Z`));
}

/** "Nov 2026" for 2026-11. */
export function monthWords(month: string): string {
  return MONTH.format(Date.parse(`${month}-01T00:00Z`));
}

/** Midnight of that date where the reader is: drawings write dates in the reader's time. */
export function localMidnight(day: string): number {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}

/** The next round number: 0 is 1, 7 is 10, 13 is 20, 41 is 50. */
export function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((times) => times * power).find((round) => round >= value)!;
}

/** What a day's numbers come to. */
export function heightOf(piles: ReadonlyArray<Pile>, at: number): number {
  return piles.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
}

export function highest(piles: ReadonlyArray<Pile>, days: number): number {
  return Array.from({ length: days }, (_, at) => heightOf(piles, at)).reduce((most, one) => Math.max(most, one), 0);
}

/** From where to where each number of a day reaches, beginning at nothing. */
export function pieces(piles: ReadonlyArray<Pile>, at: number): Array<{ pile: Pile; from: number; to: number }> {
  let from = 0;
  return piles.flatMap((pile) => {
    const to = from + (pile.values[at] ?? 0);
    const piece = { pile, from, to };
    from = to;
    return piece.to > piece.from ? [piece] : [];
  });
}
