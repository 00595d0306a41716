// Which accounts of a graph are drawn, and how the arrow keys go from one to the next.

export interface Account {
  kind: 'discord' | 'steam';
  /** What it is called; nothing for an account that was erased. */
  name: string | null;
  /** It has an active link. */
  active: boolean;
  /** Where its page is. */
  page: string | null;
}

/** A link between two accounts, by their places in the list. */
export interface Tie {
  discord: number;
  steam: number;
  active: boolean;
}

export interface Drawn {
  /** Places in the list of accounts, the nearest to the first one first. */
  nodes: number[];
  ties: Tie[];
  /** How many could be drawn if there were room. */
  total: number;
  /** Steps from the first account, for each that is drawn. */
  depth: Map<number, number>;
  /** The one that leads back towards the first. */
  parent: Map<number, number>;
}

/** Two accounts that were linked more than once are tied once, and active if any of these links is. */
export function merged(ties: readonly Tie[]): Tie[] {
  const pairs = new Map<string, Tie>();
  for (const tie of ties) {
    const key = `${tie.discord} ${tie.steam}`;
    pairs.set(key, { ...tie, active: tie.active || pairs.get(key)?.active === true });
  }
  return [...pairs.values()];
}

export function neighbours(ties: readonly Tie[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const add = (from: number, to: number) => found.set(from, [...(found.get(from) ?? []), to]);
  for (const { discord, steam } of ties) {
    add(discord, steam);
    add(steam, discord);
  }
  return found;
}

/** Everything that can be reached, the nearest first; what hangs together with nothing before it begins again at 0. */
function spread(nodes: readonly number[], beside: ReadonlyMap<number, number[]>): Pick<Drawn, 'nodes' | 'depth' | 'parent'> {
  const wanted = new Set(nodes);
  const depth = new Map<number, number>();
  const parent = new Map<number, number>();
  const order: number[] = [];
  for (const root of nodes) {
    if (depth.has(root)) continue;
    depth.set(root, 0);
    const ahead = [root];
    for (const node of ahead) {
      order.push(node);
      for (const next of beside.get(node) ?? []) {
        if (!wanted.has(next) || depth.has(next)) continue;
        depth.set(next, depth.get(node)! + 1);
        parent.set(next, node);
        ahead.push(next);
      }
    }
  }
  return { nodes: order, depth, parent };
}

/** The first account and those nearest to it. Without ended links, only accounts that have an active one. */
export function choose(accounts: number, links: readonly Tie[], { ended, most }: { ended: boolean; most: number }): Drawn {
  const all = merged(links);
  const shown = ended ? all : all.filter(({ active }) => active);
  const beside = neighbours(shown);
  const near = spread(Array.from({ length: accounts }, (_, place) => place), neighbours(all)).nodes;
  const fitting = near.filter((node) => node === 0 || beside.has(node));
  const kept = new Set(fitting.slice(0, most));
  return {
    ...spread([...kept], beside),
    ties: shown.filter(({ discord, steam }) => kept.has(discord) && kept.has(steam)),
    total: fitting.length,
  };
}

/** Where a key leads: Down away from the first account, Up back to it, Left and Right among those equally far. */
export function walk({ nodes, depth, parent }: Pick<Drawn, 'nodes' | 'depth' | 'parent'>, from: number, key: string): number | null {
  const ring = nodes.filter((node) => depth.get(node) === depth.get(from));
  const at = ring.indexOf(from);
  switch (key) {
    case 'ArrowDown':
      return nodes.find((node) => parent.get(node) === from) ?? from;
    case 'ArrowUp':
      return parent.get(from) ?? from;
    case 'ArrowRight':
      return ring[(at + 1) % ring.length] ?? from;
    case 'ArrowLeft':
      return ring.at(at - 1) ?? from;
    case 'Home':
      return nodes[0] ?? from;
    case 'End':
      return nodes.at(-1) ?? from;
    default:
      return null;
  }
}
