// Announcements: what they are called, what can be chosen, and what would be sent.

import CircleCheck from '@lucide/svelte/icons/circle-check';
import Clock from '@lucide/svelte/icons/clock';
import Archive from '@lucide/svelte/icons/archive';
import type { Icon, Tone } from '$lib/ui/types';
import type { Announcement, Severity, Target } from '../types';
import { fromField, toField } from '../words';

export const TEXT_MAX = 500;

export const SEVERITIES: ReadonlyArray<{ value: Severity; label: string }> = [
  { value: 'info', label: 'Info' },
  { value: 'success', label: 'Success' },
  { value: 'warning', label: 'Warning' },
  { value: 'critical', label: 'Critical' },
];
export const TARGETS: ReadonlyArray<{ value: Target; label: string }> = [
  { value: 'all', label: 'Everyone who signs in' },
  { value: 'paid', label: 'Organisations on Standard and Pro' },
  { value: 'free', label: 'Organisations on Free' },
  { value: 'standard', label: 'Organisations on Standard' },
  { value: 'pro', label: 'Organisations on Pro' },
];
export const STATES: Record<Announcement['state'], { word: string; tone: Tone; icon: Icon }> = {
  planned: { word: 'Planned', tone: 'info', icon: Clock },
  shown: { word: 'Shown', tone: 'ok', icon: CircleCheck },
  ended: { word: 'Ended', tone: 'neutral', icon: Archive },
};

export function labelOf<V extends string>(choices: ReadonlyArray<{ value: V; label: string }>, value: V): string {
  return choices.find((one) => one.value === value)?.label ?? value;
}

export interface Draft {
  severity: Severity;
  target: Target;
  text: string;
  /** As the fields hold them; blank starts immediately and never ends. */
  starts: string;
  ends: string;
}

export const FRESH: Draft = { severity: 'info', target: 'all', text: '', starts: '', ends: '' };

export function draftOf(one: Announcement): Draft {
  return { severity: one.severity, target: one.target, text: one.text, starts: toField(one.starts_at_ms), ends: toField(one.ends_at_ms) };
}

/** What is wrong with each field. */
export function problemsOf(draft: Draft, now: number): { text?: string; starts?: string; ends?: string } {
  const length = [...draft.text.trim()].length;
  const starts = fromField(draft.starts);
  const ends = fromField(draft.ends);
  return {
    ...(length === 0 && { text: 'Write what people should know.' }),
    ...(length > TEXT_MAX && { text: `Use at most ${TEXT_MAX} characters.` }),
    ...(draft.starts && starts === null && { starts: 'Enter a date and a time.' }),
    ...(draft.ends && ends === null && { ends: 'Enter a date and a time.' }),
    ...(ends !== null && ends <= (starts ?? now) && { ends: 'Choose a time after the start.' }),
  };
}

export function toCreate(draft: Draft) {
  return { severity: draft.severity, target: draft.target, text: draft.text.trim(), starts_at_ms: fromField(draft.starts), ends_at_ms: fromField(draft.ends) };
}

/** Only what differs, on top of the revision that was seen. A start that was not touched keeps its seconds. */
export function toChange(before: Announcement, draft: Draft) {
  const was = draftOf(before);
  const starts = fromField(draft.starts);
  return {
    revision: before.revision,
    ...(draft.severity !== was.severity && { severity: draft.severity }),
    ...(draft.target !== was.target && { target: draft.target }),
    ...(draft.text.trim() !== was.text && { text: draft.text.trim() }),
    ...(draft.starts !== was.starts && starts !== null && { starts_at_ms: starts }),
    ...(draft.ends !== was.ends && { ends_at_ms: fromField(draft.ends) }),
  };
}
