// From numbers to places on a drawing.

import type { Tone } from '../ui/types';

const DAY_MS = 24 * 60 * 60_000;

export interface Point {
  at: number;
  value: number;
}

/** A range of values that has a name. */
export interface Band {
  label: string;
  from: number;
  to: number;
  tone: Tone;
}

/** The time for which one value holds, as far as it is shown. */
export interface Stretch {
  start: number;
  end: number;
  value: number;
  /** Its place in the list of points. */
  index: number;
}

export type Scale = (value: number) => number;

export function linear(from: readonly [number, number], to: readonly [number, number]): Scale {
  const width = from[1] - from[0];
  return (value) => (width === 0 ? to[0] : to[0] + ((value - from[0]) / width) * (to[1] - to[0]));
}

/** Each value holds until the next point, and the last one until the end. What held at the beginning begins there. */
export function stretches(points: readonly Point[], start: number, end: number): Stretch[] {
  return points.flatMap(({ at, value }, index) => {
    const stretch = { start: Math.max(at, start), end: Math.min(points[index + 1]?.at ?? end, end), value, index };
    const isLast = index === points.length - 1 && at <= end;
    return stretch.end > stretch.start || isLast ? [stretch] : [];
  });
}

/** A line in steps. */
export function stepPath(parts: readonly Stretch[], x: Scale, y: Scale): string {
  return parts
    .map(({ start, end, value }, at) => `${at === 0 ? `M${round(x(start))} ${round(y(value))}` : `V${round(y(value))}`}H${round(x(end))}`)
    .join('');
}

/** The stretch that a moment lies in; the nearest one where it lies in none. */
export function stretchAt(parts: readonly Stretch[], moment: number): number {
  const after = parts.findIndex(({ start }) => start > moment);
  return after < 0 ? parts.length - 1 : Math.max(0, after - 1);
}

/** At most so many midnights of the reader's time zone, evenly apart. The last one is there. */
export function dayTicks(start: number, end: number, most: number): number[] {
  const days = Math.ceil((end - start) / DAY_MS);
  const every = Math.max(1, Math.ceil(days / Math.max(1, most)));
  const day = new Date(end);
  day.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  for (; day.getTime() >= start; day.setDate(day.getDate() - every)) ticks.unshift(day.getTime());
  return ticks;
}

/** Those that are so far apart that their labels do not touch; the ends always stay. */
export function apart(values: readonly number[], y: Scale, least: number): number[] {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || sorted.length < 2) return sorted;
  const kept = [first];
  for (const value of sorted.slice(1, -1)) {
    const near = (other: number) => Math.abs(y(value) - y(other)) < least;
    if (!near(kept.at(-1)!) && !near(last)) kept.push(value);
  }
  return [...kept, last];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
