// The states of pending work.

import CircleX from '@lucide/svelte/icons/circle-x';
import Clock from '@lucide/svelte/icons/clock';
import Play from '@lucide/svelte/icons/play';
import type { Icon, Tone } from '$lib/ui/types';
import type { Job } from '../types';

export const STATES = [
  { value: '', label: 'All states' },
  { value: 'failed', label: 'Failing' },
  { value: 'running', label: 'Running' },
  { value: 'waiting', label: 'Waiting' },
] as const;
type State = (typeof STATES)[number]['value'];

export function stateIn(text: string | null): State {
  return STATES.find(({ value }) => value === text)?.value ?? '';
}

export function stateOf(job: Pick<Job, 'running' | 'cancelled' | 'last_error'>): { word: string; tone: Tone; icon: Icon } {
  if (job.cancelled) return { word: 'Being dropped', tone: 'neutral', icon: Clock };
  if (job.running) return { word: 'Running', tone: 'info', icon: Play };
  return job.last_error ? { word: 'Failing', tone: 'bad', icon: CircleX } : { word: 'Waiting', tone: 'neutral', icon: Clock };
}
