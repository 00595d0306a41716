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

export function nameOf(bot: Pick<Runner, 'id'>): string {
  return bot.id === SHARED ? 'Shared bot' : bot.id;
}

const STATES: Record<string, { word: string; tone: Tone; icon: Icon }> = {
  online: { word: 'Online', tone: 'ok', icon: CircleDot },
  starting: { word: 'Starting', tone: 'info', icon: Clock },
  paused: { word: 'Paused', tone: 'neutral', icon: Pause },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX },
};

const SETTING_UP = ['allocate', 'install', 'deploy', 'start'];

/** How far a Custom Bot is, or what another bot's process said. A newer server may know a state that this page does not. */
export function stateOf(bot: Pick<Runner, 'state' | 'step'>): { word: string; tone: Tone; icon: Icon } {
  const said = bot.step ?? bot.state ?? '';
  const known = SETTING_UP.includes(said) ? STATES.starting : STATES[said];
  return known ?? { word: said ? sentence(said) : 'Unknown', tone: 'neutral', icon: CircleDashed };
}

/** What it is at or what stops it, in the words of the program. */
export function whyOf(bot: Pick<Runner, 'step' | 'reason' | 'failure'>): string {
  const step = SETTING_UP.includes(bot.step ?? '') ? bot.step : null;
  return [step, bot.reason, bot.failure].filter((one) => one != null && one !== '').map((one) => one?.replaceAll('_', ' ')).join(', ');
}
