// What a rule does, as a plain sentence.

import type { RoleRule } from '$lib/api/schema';

/** A piece of a sentence; names stand out. */
export interface Part {
  text: string;
  name?: true;
}
type Told = Pick<RoleRule, 'group' | 'direction' | 'authority' | 'on_loss'>;

/** `server` is what the Server is called; null where that goes without saying. */
export function tell(rule: Told, role: string, server: string | null): Part[] {
  const group: Part = { text: rule.group.trim(), name: true };
  const given: Part = { text: role, name: true };
  const there: Part[] = server === null ? [] : [{ text: ' on ' }, { text: server, name: true }];
  const keeps = rule.on_loss === 'keep';
  const say = (text: string): Part => ({ text });
  switch (rule.direction) {
    case 'to_discord':
      return [say('Everyone in '), group, ...there, say(' gets '), given, say(' on Discord. Anyone who leaves '), group, say(keeps ? ' keeps ' : ' loses '), given, say('.')];
    case 'to_game':
      return [say('Everyone with '), given, say(' on Discord is put in '), group, ...there, say('. Anyone who loses '), given, say(keeps ? ' stays in ' : ' is taken out of '), group, say('.')];
    case 'both':
      return [
        group, ...there, say(' and '), given, say(' on Discord follow each other. '),
        say(keeps ? 'Anyone who loses one keeps the other. ' : 'Anyone who loses one loses the other. '),
        say(`If they differ and we can’t tell which changed, ${rule.authority === 'discord' ? 'Discord' : 'the game server'} decides.`),
      ];
  }
}

export function plain(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('');
}
