// How soon something that changes by itself is read again.

import type { CustomBot } from './schema';

const WATCHED_MS = 2_000;
const AWAITED_MS = 5_000;
const STILL_MS = 30_000;

/** Often while the bot starts or one bot hands over to the other, less so while it waits for someone to do something. */
export function paceOfBot(view: CustomBot | undefined): number {
  const bot = view?.bot;
  if (!bot) return STILL_MS;
  if (bot.status === 'starting') return WATCHED_MS;
  if (bot.invite_url) return AWAITED_MS;
  if ((bot.status === 'online') !== bot.serving) return WATCHED_MS;
  return bot.status === 'paused' && view.access !== 'none' ? WATCHED_MS : STILL_MS;
}
