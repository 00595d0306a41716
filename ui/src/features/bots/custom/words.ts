// A Guild's own bot as people read about it: how it is, what is wrong, and what to do about it.

import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleX from '@lucide/svelte/icons/circle-x';
import Pause from '@lucide/svelte/icons/pause';
import type { BotTrouble, BotRestart, BotStep, OwnBot, CustomBot } from '$lib/api/schema';
import { count } from '$lib/format';
import type { Icon, Tone } from '$lib/ui/types';
import Spinner from './Spinner.svelte';

export const PORTAL = 'https://discord.com/developers/applications';

export const STEPS: ReadonlyArray<{ step: BotStep; word: string }> = [
  { step: 'allocate', word: 'Allocate' },
  { step: 'install', word: 'Install' },
  { step: 'deploy', word: 'Deploy' },
  { step: 'start', word: 'Start' },
];

export interface Advice {
  tone: 'bad' | 'warn' | 'info';
  text: string;
}

const ADVICE: Record<BotTrouble, (bot: Pick<OwnBot, 'name' | 'status'>) => Advice> = {
  not_in_guild: ({ name }) => ({ tone: 'warn', text: `${name} isn’t in the Discord server yet. Add it there; it goes on by itself once it’s there.` }),
  token_rejected: () => ({ tone: 'bad', text: 'Discord no longer accepts this bot’s token. Someone may have reset it. Reset it again in the developer portal and replace the token below.' }),
  crash_loop: () => ({ tone: 'bad', text: 'The bot stopped 5 times within 10 minutes, so it isn’t being started any more. Retry. If it stops again, tell whoever runs this installation.' }),
  identify_budget: () => ({ tone: 'bad', text: 'The bot has connected to Discord too often today, so it has to wait. Check that no other program uses the same token.' }),
  install_error: () => ({ tone: 'bad', text: 'The bot couldn’t be set up on its host. Retry. If it fails again, tell whoever runs this installation.' }),
  sharding_required: () => ({ tone: 'bad', text: 'This bot is in too many Discord servers: Discord only lets it connect in several parts, which a Custom Bot can’t. Create a bot for this Discord server alone and replace the token below.' }),
  refused: () => ({ tone: 'bad', text: 'Discord refused the bot’s connection. Retry. If Discord refuses it again, tell whoever runs this installation.' }),
  no_room: ({ name }) => ({ tone: 'warn', text: `${name} waits for a place: every host is full. It goes on by itself when one has room.` }),
  unreachable: () => ({ tone: 'warn', text: 'Discord isn’t answering. The bot keeps trying; there’s nothing you need to do.' }),
  intents_missing: ({ status }) => ({
    tone: 'warn',
    text:
      (status === 'online' ? 'The bot works, but it isn’t told who joins, leaves or gets other roles, so roles follow late. ' : 'Discord doesn’t give the bot what it needs. ') +
      'In the developer portal, open your application, then Bot, and turn on “Server Members Intent”. The bot uses it a few minutes later.',
  }),
};

/** What is wrong; nothing while all is well. A newer server may know a reason that this page does not. */
export function adviceOf(bot: Pick<OwnBot, 'name' | 'status' | 'reason' | 'invite_url'>): Advice | null {
  const { reason } = bot;
  if (reason && Object.hasOwn(ADVICE, reason)) return ADVICE[reason](bot);
  if (bot.status === 'failed') return { tone: 'bad', text: 'The bot doesn’t run. Retry. If it fails again, tell whoever runs this installation.' };
  return bot.invite_url ? { tone: 'warn', text: `${bot.name} is missing permissions in the Discord server. Add it again to grant them; it goes on by itself.` } : null;
}

/** Where it is put right on Discord's own pages. */
export function isFixedInPortal(reason: BotTrouble | null | undefined): boolean {
  return reason === 'token_rejected' || reason === 'sharding_required' || reason === 'intents_missing';
}

const RESTARTS: Record<BotRestart, string> = {
  crashed: 'it had stopped unexpectedly',
  memory: 'it used too much memory',
  silent: 'it had stopped responding',
  token_replaced: 'the token was replaced',
  resumed: 'it was resumed',
  moved: 'it moved to another host',
};

export function restartWords(reason: string | null | undefined): string {
  return reason && Object.hasOwn(RESTARTS, reason) ? RESTARTS[reason as BotRestart] : '';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "5 days 2 hours": the two largest units that say something. */
export function uptime(startedAt: number, now: number): string {
  const ms = Math.max(0, now - startedAt);
  if (ms < MINUTE) return 'Less than a minute';
  const [days, hours, minutes] = [Math.trunc(ms / DAY), Math.trunc((ms % DAY) / HOUR), Math.trunc((ms % HOUR) / MINUTE)];
  const parts = days ? [days && count(days, 'day'), hours && count(hours, 'hour')] : [hours && count(hours, 'hour'), minutes && count(minutes, 'minute')];
  return parts.filter(Boolean).join(' ');
}

export function presence(linked: number): string {
  return `Watching ${count(linked, 'linked account')}`;
}

export interface Stance {
  word: string;
  tone: Tone;
  icon: Icon;
}

const WORKING: Stance = { word: 'Working', tone: 'ok', icon: CircleCheck };
const TAKING_OVER: Stance = { word: 'Taking over', tone: 'info', icon: Spinner };
const HANDING_OVER: Stance = { word: 'Handing over', tone: 'info', icon: Spinner };
const STANDING_BY: Stance = { word: 'Standing by', tone: 'neutral', icon: Pause };
const STARTING: Stance = { word: 'Starting', tone: 'info', icon: Spinner };
const PAUSED: Stance = { word: 'Paused', tone: 'neutral', icon: Pause };
const IDLE: Stance = { word: 'Not working', tone: 'neutral', icon: CircleDashed };
const AWAY: Stance = { word: 'Not in the Discord server', tone: 'bad', icon: CircleX };
const UNSEEN: Stance = { word: 'Not checked yet', tone: 'neutral', icon: CircleDashed };

/** The bot is well and the work is still the other one's. */
function takesOver(bot: OwnBot): boolean {
  return bot.status === 'online' && !bot.serving && !bot.invite_url;
}

function handsBack(bot: OwnBot): boolean {
  return bot.status !== 'online' && bot.serving;
}

/** What the Guild's own bot does in the Discord server now. */
export function stanceOf(bot: OwnBot): Stance {
  if (handsBack(bot)) return HANDING_OVER;
  if (bot.serving) return WORKING;
  if (takesOver(bot)) return TAKING_OVER;
  if (bot.reason === 'not_in_guild') return AWAY;
  return bot.status === 'starting' ? STARTING : bot.status === 'paused' ? PAUSED : IDLE;
}

/** The same of the shared bot. */
export function sharedStance({ shared, bot }: Pick<CustomBot, 'shared' | 'bot'>): Stance {
  if (shared.present === false) return bot?.serving ? { ...AWAY, tone: 'warn' } : AWAY;
  if (shared.serving) return bot && takesOver(bot) ? HANDING_OVER : WORKING;
  if (bot && handsBack(bot)) return TAKING_OVER;
  return bot?.serving ? STANDING_BY : shared.present ? IDLE : UNSEEN;
}

/** Who does the work and what comes next, in a sentence. */
export function workWords({ shared, bot }: Pick<CustomBot, 'shared' | 'bot'>): string {
  if (bot && takesOver(bot)) return `${bot.name} takes over from the shared bot in a moment.`;
  if (bot && handsBack(bot)) return `${bot.name} is handing over to the shared bot.`;
  if (bot?.serving) return `${bot.name} answers commands and gives roles here.${shared.present === false ? '' : ' The shared bot takes over when yours is paused or removed.'}`;
  if (!shared.serving) return 'No bot works here now: commands get no answer and roles aren’t given.';
  if (!bot) return 'The shared bot answers commands and gives roles here.';
  return `The shared bot answers commands and gives roles here ${bot.status === 'paused' ? 'while yours is paused' : 'until yours is online'}.`;
}

/** Said before the shared bot is needed: it cannot take over from where it is not. */
export function sharedMissing({ shared, bot }: Pick<CustomBot, 'shared' | 'bot'>): string | null {
  if (shared.present !== false) return null;
  return bot?.serving
    ? 'The shared bot isn’t in the Discord server. If yours is paused, because the subscription ends or is cancelled, no bot works here. Add the shared bot so that it can take over.'
    : 'The shared bot isn’t in the Discord server, so it can’t step in for yours. Add it there.';
}

/** What a question before removing says. */
export function removalWords({ shared, access }: Pick<CustomBot, 'shared' | 'access'>): string {
  const parts = [
    'This stops the bot and deletes its token here.',
    shared.present === false ? 'The shared bot isn’t in the Discord server, so no bot works there until you add one.' : 'The shared bot works on in the Discord server.',
    'Your bot’s account stays there, offline, until you kick it.',
    access === 'subscribed' ? 'The subscription goes on: cancel it in the billing portal.' : '',
  ];
  return parts.filter(Boolean).join(' ');
}

/** What was pasted, without what is often copied with it. */
export function cleanToken(pasted: string): string {
  return pasted.trim().replace(/^["'`]+|["'`]+$/g, '').replace(/^Bot\s+/i, '').trim();
}

/** What is wrong with it at a glance; whether Discord takes it is for the server to find out. */
export function tokenProblem(pasted: string): string | null {
  const token = cleanToken(pasted);
  if (!token) return 'Paste your bot’s token.';
  if (/^[\w-]+(\.[\w-]+){2}$/.test(token)) return null;
  const what = /^\d{15,20}$/.test(token) ? 'This is an ID.' : /^[0-9a-f]{64}$/i.test(token) ? 'This is the application’s public key.' : /^[\w-]{32}$/.test(token) ? 'This is the client secret.' : 'This isn’t a bot token.';
  return `${what} The token is on your application’s Bot page, and has three parts with dots between them.`;
}

const REFUSALS: Record<string, string> = {
  BOT_TOKEN_REJECTED: 'Discord doesn’t accept this token. Copy it again, or reset it in the developer portal and paste the new one.',
  BOT_IN_USE: 'This bot already works for another Guild. Create another application in the developer portal and paste its bot’s token.',
};

/** What the server refused about the token itself. */
export function refusedToken(code: string | undefined): string | undefined {
  return code && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
}
