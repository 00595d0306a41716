// The check-up of a Guild as people read it: its parts, and how each of them is.

import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleX from '@lucide/svelte/icons/circle-x';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import type { CheckState, CheckTopic, GuildCheck } from '$lib/api/schema';
import { count, sentence } from '$lib/format';
import type { Icon, Tone } from '$lib/ui/types';

export interface Look {
  word: string;
  tone: Tone;
  icon: Icon;
}

const STATES: Record<CheckState, Look> = {
  bad: { word: 'Failing', tone: 'bad', icon: CircleX },
  warn: { word: 'Warning', tone: 'warn', icon: TriangleAlert },
  unknown: { word: 'Unknown', tone: 'neutral', icon: CircleDashed },
  ok: { word: 'In order', tone: 'ok', icon: CircleCheck },
};

const TOPICS: Record<CheckTopic, string> = {
  bot: 'Bot',
  permissions: 'Permissions',
  log_channel: 'Log channel',
  roles: 'Roles',
  server: 'Calls',
  plugin: 'Plugin',
  configuration: 'Configuration',
  key: 'Key',
  steam_group: 'Steam group',
  clock: 'Clock',
};

const ON_DISCORD = new Set<string>(['bot', 'permissions', 'log_channel', 'roles'] satisfies CheckTopic[]);

/** A newer server may tell more than this page knows. */
export function lookOf(state: string): Look {
  return Object.hasOwn(STATES, state) ? STATES[state as CheckState] : STATES.unknown;
}

export function titleOf({ topic, server }: Pick<GuildCheck, 'topic' | 'server'>): string {
  if (topic === 'server' && !server) return 'Server';
  return Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : sentence(String(topic).replaceAll('_', ' '));
}

export interface Part {
  id: string;
  title: string;
  checks: GuildCheck[];
}

function partOf({ topic, server }: GuildCheck): Omit<Part, 'checks'> {
  if (server) return { id: server.id, title: server.name };
  if (topic === 'server') return { id: 'servers', title: 'Servers' };
  return ON_DISCORD.has(topic) ? { id: 'discord', title: 'Discord' } : { id: 'rest', title: 'Steam and clock' };
}

/** What belongs together, in the order in which it is told: Discord, each Server, and what is left. */
export function partsOf(checks: readonly GuildCheck[]): Part[] {
  const parts = new Map<string, Part>();
  for (const check of checks) {
    const { id, title } = partOf(check);
    const part = parts.get(id) ?? { id, title, checks: [] };
    part.checks.push(check);
    parts.set(id, part);
  }
  return [...parts.values()];
}

/** "1 failing, 2 warnings", the worst first. */
export function summaryOf(checks: ReadonlyArray<Pick<GuildCheck, 'state'>>): string {
  const [failing, warnings, fine] = (['bad', 'warn', 'ok'] as const).map((state) => checks.filter((check) => check.state === state).length);
  const unknown = checks.length - failing! - warnings! - fine!;
  const said = [failing && `${failing} failing`, warnings && count(warnings, 'warning'), unknown && `${unknown} unknown`].filter(Boolean);
  return said.join(', ') || 'Everything is in order';
}
