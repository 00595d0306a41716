// What the settings form of a Server holds, what of it can be saved, and what differs from what was read.

import type { ServerChange, ServerView } from '$lib/api/schema';

export const GROUPS = ['linked_group', 'booster_group', 'steam_members_group'] as const;
export const GROUP_LABELS = {
  linked_group: 'Group for linked players',
  booster_group: 'Group for boosters',
  steam_members_group: 'Group for Steam group members',
};
const SHORTEST_POLL = 10;
const LONGEST_POLL = 3600;

export interface ServerDraft {
  name: string;
  bare_ids: boolean;
  linked_group: string;
  booster_group: string;
  steam_members_group: string;
  poll_seconds: string;
}

export function draftOf(server: ServerView): ServerDraft {
  const { name, bare_ids, linked_group, booster_group, steam_members_group, poll_seconds } = server;
  return { name, bare_ids, linked_group, booster_group, steam_members_group, poll_seconds: String(poll_seconds) };
}

export function changesOf(server: ServerView, draft: ServerDraft): ServerChange | null {
  const change: ServerChange = {};
  if (draft.name.trim() !== server.name) change.name = draft.name.trim();
  if (draft.bare_ids !== server.bare_ids) change.bare_ids = draft.bare_ids;
  for (const group of GROUPS) {
    if (draft[group].trim() !== server[group]) change[group] = draft[group].trim();
  }
  if (draft.poll_seconds.trim() !== String(server.poll_seconds)) change.poll_seconds = Number(draft.poll_seconds);
  return Object.keys(change).length > 0 ? change : null;
}

/** Each field by its label, as people read it. */
export function describe(server: ServerView): Record<string, string> {
  return {
    Name: server.name,
    'Return IDs without quotes': server.bare_ids ? 'on' : 'off',
    ...Object.fromEntries(GROUPS.map((group) => [GROUP_LABELS[group], server[group]])),
    'Poll interval in seconds': String(server.poll_seconds),
  };
}

export function nameProblem(name: string): string | null {
  if (!name.trim()) return 'Enter a name.';
  return [...name.trim()].length > 64 ? 'Use at most 64 characters.' : null;
}

export function problemsOf(draft: ServerDraft): Partial<Record<keyof ServerDraft, string>> {
  const problems: Partial<Record<keyof ServerDraft, string>> = {};
  const name = nameProblem(draft.name);
  if (name) problems.name = name;
  for (const group of GROUPS) {
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(draft[group].trim())) {
      problems[group] = 'Use 1 to 64 letters, digits, dots, hyphens and underscores.';
    }
  }
  const seconds = draft.poll_seconds.trim();
  if (!/^\d+$/.test(seconds) || Number(seconds) < SHORTEST_POLL || Number(seconds) > LONGEST_POLL) {
    problems.poll_seconds = `Enter a whole number from ${SHORTEST_POLL} to ${LONGEST_POLL}.`;
  }
  return problems;
}
