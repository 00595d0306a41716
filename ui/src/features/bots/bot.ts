// What is wrong with the bot of a Guild, and what to do about it.

import type { GuildOnDiscord } from '$lib/api/schema';
import { list } from '$lib/format';

export interface Advice {
  tone: 'bad' | 'warn';
  text: string;
  /** The words of the link that adds what is missing. */
  add?: string;
}

/** The worst first. `hasLog` tells whether there is a channel that messages should arrive in. */
export function adviceOf(read: GuildOnDiscord, hasLog: boolean): Advice[] {
  if (read.present === false) {
    return [{ tone: 'bad', text: 'The bot isn’t in this Discord server, so it can’t post log messages or answer commands. Your links and settings are kept. Add it again to continue.', add: 'Add the bot' }];
  }
  const advice: Advice[] = [];
  if (read.present && !read.online) advice.push({ tone: 'bad', text: 'The bot is offline, so commands get no answer. Log messages still arrive. Whoever runs this installation has been told.' });
  if (read.log_problem && hasLog) advice.push({ tone: 'bad', text: `Log messages aren’t arriving. ${read.log_problem.message}` });
  const lacks = read.present ? read.permissions.filter(({ held }) => !held) : [];
  if (lacks.length > 0) advice.push({ tone: 'warn', text: `The bot is missing ${list(lacks.map(({ name }) => name))}.`, add: 'Grant missing permissions' });
  if (read.present && read.checked_at_ms != null && !read.commands) advice.push({ tone: 'warn', text: 'Discord hasn’t registered the bot’s commands. If they don’t appear in a minute, add the bot again: it may have been added without them.' });
  return advice;
}
