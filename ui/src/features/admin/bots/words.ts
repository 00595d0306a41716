// Bots, as operators read of them.

import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleDot from '@lucide/svelte/icons/circle-dot';
import CircleX from '@lucide/svelte/icons/circle-x';
import Clock from '@lucide/svelte/icons/clock';
import Pause from '@lucide/svelte/icons/pause';
import { sentence } from '$lib/format';
import type { Icon, Tone } from '$lib/ui/types';
import type { Runner } from '../types';

const SHARED = 'platform';

export function nameOf(bot: Pick<Runner, 'id' | 'name'>): string {
  return bot.id === SHARED ? 'Shared bot' : (bot.name ?? bot.id);
}

const STATES: Record<string, { word: string; tone: Tone; icon: Icon }> = {
  online: { word: 'Online', tone: 'ok', icon: CircleDot },
  starting: { word: 'Starting', tone: 'info', icon: Clock },
  paused: { word: 'Paused', tone: 'neutral', icon: Pause },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
};

/** A newer server may know a state that this page does not. */
export function stateOf(bot: Pick<Runner, 'state'>): { word: string; tone: Tone; icon: Icon } {
  return STATES[bot.state ?? ''] ?? { word: bot.state ? sentence(bot.state) : 'Unknown', tone: 'neutral', icon: CircleDashed };
}

/** What it is at or what stops it, in the words of the program. */
export function whyOf(bot: Pick<Runner, 'step' | 'reason' | 'failure' | 'state'>): string {
  const step = bot.state === 'starting' ? bot.step : null;
  return [step, bot.reason, bot.failure].filter((one) => one != null && one !== '').map((one) => one?.replaceAll('_', ' ')).join(', ');
}
