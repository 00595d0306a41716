import { describe, expect, test, vi } from 'vitest';
import { choose, merged, neighbours, walk, type Drawn, type Tie } from '../../src/lib/charts/graph';
import { createLayout, fit, rings, settle } from '../../src/lib/charts/layout';
import { apart, dayTicks, linear, stepPath, stretchAt, stretches } from '../../src/lib/charts/scale';

const DAY = 24 * 60 * 60_000;

describe('a line in steps', () => {
  const points = [
    { at: 50, value: 60 },
    { at: 120, value: 70 },
    { at: 150, value: 40 },
  ];

  test('each value holds until the next, from what held at the beginning', () => {
    expect(stretches(points, 100, 200)).toEqual([
      { start: 100, end: 120, value: 60, index: 0 },
      { start: 120, end: 150, value: 70, index: 1 },
      { start: 150, end: 200, value: 40, index: 2 },
    ]);
  });

  test('what ended before the beginning or comes after the end is left out', () => {
    expect(stretches(points, 130, 140).map(({ index }) => index)).toEqual([1]);
    expect(stretches([], 0, 10)).toEqual([]);
    expect(stretches([{ at: 10, value: 1 }], 0, 10)).toEqual([{ start: 10, end: 10, value: 1, index: 0 }]);
  });

  test('it goes across, then up or down', () => {
    const x = linear([100, 200], [0, 100]);
    const y = linear([0, 100], [200, 0]);
    expect(stepPath(stretches(points, 100, 200), x, y)).toBe('M0 80H20V60H50V120H100');
    expect(stepPath([], x, y)).toBe('');
    expect(linear([5, 5], [1, 9])(5)).toBe(1);
  });

  test('a moment finds the value that held then', () => {
    const parts = stretches(points, 100, 200);
    expect([90, 100, 119, 120, 199, 900].map((moment) => stretchAt(parts, moment))).toEqual([0, 0, 0, 1, 2, 2]);
  });

  test('days are midnights, evenly apart and never too many', () => {
    const end = new Date(2026, 10, 15, 13, 30).getTime();
    for (const [days, most] of [[7, 8], [30, 6], [365, 5], [1, 3]] as const) {
      const ticks = dayTicks(end - days * DAY, end, most);
      expect(ticks.length).toBeLessThanOrEqual(most);
      expect(new Date(ticks.at(-1)!).getDate()).toBe(15);
      for (const tick of ticks) expect(new Date(tick).getHours()).toBe(0);
    }
  });

  test('labels that would touch are left out, the ends never', () => {
    const y = linear([0, 100], [100, 0]);
    expect(apart([0, 40, 70, 95, 100, 40], y, 14)).toEqual([0, 40, 70, 100]);
    expect(apart([0, 5, 100], y, 14)).toEqual([0, 100]);
    expect(apart([3], y, 14)).toEqual([3]);
  });
});

const tie = (discord: number, steam: number, active = false): Tie => ({ discord, steam, active });

describe('which accounts are drawn', () => {
  // 0 - 1 - 2 - 3, and 0 - 4; only 2 - 3 is active.
  const links = [tie(0, 1), tie(2, 1), tie(2, 3, true), tie(0, 4), tie(2, 3)];

  test('two accounts are tied once, and active if any of their links is', () => {
    expect(merged(links)).toEqual([tie(0, 1), tie(2, 1), tie(2, 3, true), tie(0, 4)]);
    expect(neighbours(links.slice(0, 2)).get(1)).toEqual([0, 2]);
  });

  test('the nearest come first, and what has no room is counted', () => {
    const all = choose(5, links, { ended: true, most: 200 });
    expect(all.nodes).toEqual([0, 1, 4, 2, 3]);
    expect(Object.fromEntries(all.depth)).toEqual({ 0: 0, 1: 1, 4: 1, 2: 2, 3: 3 });
    const some = choose(5, links, { ended: true, most: 3 });
    expect([some.nodes, some.total, some.ties.length]).toEqual([[0, 1, 4], 5, 2]);
  });

  test('without ended links there are only accounts with an active one, and whoever it is about', () => {
    const active = choose(5, links, { ended: false, most: 200 });
    expect([active.nodes, active.ties, active.total]).toEqual([[0, 2, 3], [tie(2, 3, true)], 3]);
    expect(active.depth.get(2)).toBe(0);
  });
});

describe('the arrow keys', () => {
  const drawn = choose(7, [tie(0, 1), tie(0, 2), tie(3, 1), tie(4, 2), tie(3, 5), tie(3, 6)], { ended: true, most: 200 });
  const go = (from: number, ...keys: string[]) => keys.reduce((at, key) => walk(drawn, at, key) ?? at, from);

  test('lead outward, back, and around', () => {
    expect(go(0, 'ArrowDown')).toBe(1);
    expect(go(0, 'ArrowDown', 'ArrowRight')).toBe(2);
    expect(go(2, 'ArrowRight')).toBe(1);
    expect(go(1, 'ArrowLeft')).toBe(2);
    expect(go(5, 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp')).toBe(0);
    expect(go(3, 'Home')).toBe(0);
    expect(go(0, 'End')).toBe(6);
    expect(go(6, 'ArrowDown')).toBe(6);
    expect(walk(drawn, 0, 'Enter')).toBeNull();
  });

  test('reach every account', () => {
    const seen = new Set([0]);
    for (const at of seen) for (const key of ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight']) seen.add(go(at, key));
    expect(seen.size).toBe(7);
    const apart = choose(4, [tie(0, 1, true), tie(2, 3, true)], { ended: false, most: 200 });
    expect(walk(apart, 0, 'ArrowRight')).toBe(2);
  });
});

/** Everybody hangs on somebody before them. */
function many(size: number): Drawn {
  const links = Array.from({ length: size - 1 }, (_, i) => tie(Math.floor(i / 2), i + 1));
  return choose(size, links, { ended: true, most: size });
}

describe('places', () => {
  test('are on rings at first, and the same every time', () => {
    const start = rings(many(40));
    expect(start.get(0)).toEqual({ x: expect.closeTo(0), y: expect.closeTo(0) });
    const far = Math.hypot(start.get(1)!.x, start.get(1)!.y);
    expect(Math.hypot(start.get(2)!.x, start.get(2)!.y)).toBeCloseTo(far);
    expect(rings(many(40))).toEqual(start);
  });

  test('two never lie over each other in the end', () => {
    const layout = createLayout(many(60));
    while (!layout.isDone()) layout.run(50);
    const places = [...layout.places().values()];
    expect(places.length).toBe(60);
    for (const [i, one] of places.entries()) {
      for (const other of places.slice(i + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(20);
    }
  });

  test('are found in slices, between which the page can do other things', async () => {
    vi.useFakeTimers();
    // Each look at the clock takes 3 ms.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 3));
    const painted: boolean[] = [];
    const layout = createLayout(many(60));
    const run = vi.spyOn(layout, 'run');
    settle(layout, (done) => painted.push(done), false);
    expect(run.mock.calls.length).toBeLessThan(5);
    expect(painted).toEqual([]);
    await vi.runAllTimersAsync();
    expect(run).toHaveBeenCalledTimes(300);
    expect(painted.length).toBeGreaterThan(3);
    expect(painted.indexOf(true)).toBe(painted.length - 1);
  });

  test('those who want no motion see the first and the last state; what is left stops', async () => {
    vi.useFakeTimers();
    const painted: boolean[] = [];
    settle(createLayout(many(80)), (done) => painted.push(done), true);
    await vi.runAllTimersAsync();
    expect(painted).toEqual([false, true]);
    const stopped = vi.fn();
    settle(createLayout(many(20)), stopped, false)();
    await vi.runAllTimersAsync();
    expect(stopped).not.toHaveBeenCalledWith(true);
  });

  test('all of them are in the picture, and a few are not blown up', () => {
    const least = { width: 400, height: 300 };
    expect(fit([], least)).toEqual({ x: -200, y: -150, ...least });
    expect(fit([{ x: 10, y: 20 }], least)).toEqual({ x: -190, y: -130, ...least });
    const wide = fit([{ x: -500, y: 0 }, { x: 500, y: 0 }], least);
    expect(wide.x).toBeLessThan(-500);
    expect(wide.x + wide.width).toBeGreaterThan(500);
    expect(wide.height).toBe(300);
  });
});
