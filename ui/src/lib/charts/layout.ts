// Finds a place for every account of a graph. The work is done in slices, so that the page never stands still.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import type { Drawn } from './graph';

export interface Place {
  x: number;
  y: number;
}

export interface View extends Place {
  width: number;
  height: number;
}

export interface Layout {
  /** By the place of an account in the list. */
  places: () => Map<number, Place>;
  isDone: () => boolean;
  run: (ticks: number) => void;
}

const RING = 70;
const MARGIN = 34;
const FIRST_TICKS = 60;
const SLICE_MS = 8;
const PAINT_EVERY_MS = 50;
/** After so many the forces have nothing left to move. */
const ALL_TICKS = 300;

type Body = SimulationNodeDatum & Place & { account: number };

/** On rings around the first account, each beside the one that it hangs on. The same graph always looks the same. */
export function rings({ nodes, depth, parent }: Pick<Drawn, 'nodes' | 'depth' | 'parent'>): Map<number, Place> {
  const roots = nodes.filter((node) => !parent.has(node));
  const below = new Map<number, number[]>();
  for (const node of nodes) {
    const above = parent.get(node);
    if (above !== undefined) below.set(above, [...(below.get(above) ?? []), node]);
  }
  const leaves = new Map<number, number>();
  for (const node of nodes.toReversed()) {
    const sum = (below.get(node) ?? []).reduce((total, child) => total + leaves.get(child)!, 0);
    leaves.set(node, Math.max(1, sum));
  }
  const found = new Map<number, Place>();
  const put = (list: readonly number[], start: number, width: number, out: number) => {
    const whole = list.reduce((total, node) => total + leaves.get(node)!, 0);
    let angle = start;
    for (const node of list) {
      const share = (width * leaves.get(node)!) / whole;
      const far = (depth.get(node)! + out) * RING;
      found.set(node, { x: far * Math.cos(angle + share / 2), y: far * Math.sin(angle + share / 2) });
      put(below.get(node) ?? [], angle, share, out);
      angle += share;
    }
  };
  // What hangs together with nothing stands around the rest.
  const deepest = Math.max(0, ...depth.values());
  // The first neighbour is on the right: a page is wider than tall.
  const around = below.get(roots[0] ?? 0)?.length ?? 1;
  put(roots.slice(0, 1), -Math.PI / around, 2 * Math.PI, 0);
  put(roots.slice(1), 0, 2 * Math.PI, deepest + 1);
  return found;
}

export function createLayout(drawn: Drawn): Layout {
  const start = rings(drawn);
  const bodies: Body[] = drawn.nodes.map((account) => ({ account, ...start.get(account)! }));
  const ties = drawn.ties.map(({ discord, steam }) => ({ source: discord, target: steam }));
  // The names of a few want room beside each other.
  const apart = bodies.length <= 8 ? 105 : bodies.length <= 24 ? 78 : 54;
  const simulation = forceSimulation<Body>(bodies)
    .force('tie', forceLink<Body, { source: number; target: number }>(ties).id((body) => body.account).distance(apart).strength(0.6))
    .force('push', forceManyBody<Body>().strength(-190).distanceMax(420))
    .force('apart', forceCollide<Body>(20))
    .force('x', forceX<Body>(0).strength(0.045))
    .force('y', forceY<Body>(0).strength(0.065))
    .stop();
  let ticks = 0;
  return {
    places: () => new Map(bodies.map(({ account, x, y }) => [account, { x, y }])),
    isDone: () => ticks >= ALL_TICKS,
    run: (more) => {
      const now = Math.min(more, ALL_TICKS - ticks);
      simulation.tick(now);
      ticks += now;
    },
  };
}

/**
 * Runs a layout to its end, a slice at a time, and shows it on the way once it looks like something; only the first and
 * the last of that to those who want no motion.
 */
export function settle(layout: Layout, paint: (done: boolean) => void, calm: boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ticks = 0;
  let painted = 0;
  const slice = () => {
    const begin = performance.now();
    do {
      layout.run(1);
      ticks += 1;
    } while (ticks !== FIRST_TICKS && !layout.isDone() && performance.now() - begin < SLICE_MS);
    if (layout.isDone()) return paint(true);
    if (ticks === FIRST_TICKS || (ticks > FIRST_TICKS && !calm && performance.now() - painted > PAINT_EVERY_MS)) {
      paint(false);
      painted = performance.now();
    }
    timer = setTimeout(slice);
  };
  slice();
  return () => clearTimeout(timer);
}

/** What shows all of it, at least as large as asked for, so that a small graph is not blown up. */
export function fit(places: Iterable<Place>, least: { width: number; height: number }): View {
  const all = [...places];
  if (all.length === 0) return { x: -least.width / 2, y: -least.height / 2, ...least };
  const [left, right] = [Math.min(...all.map(({ x }) => x)) - MARGIN, Math.max(...all.map(({ x }) => x)) + MARGIN];
  const [top, bottom] = [Math.min(...all.map(({ y }) => y)) - MARGIN, Math.max(...all.map(({ y }) => y)) + MARGIN];
  const width = Math.max(right - left, least.width);
  const height = Math.max(bottom - top, least.height);
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
}
