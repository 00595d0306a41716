// Why a role or a nickname cannot be changed, and what puts it right.

const WORDS: Record<string, (role: string) => string> = {
  above_bot: (role) => `The bot’s role is too low. On Discord, open Server Settings → Roles and drag the bot’s role above ${role}.`,
  no_permission: () => 'The bot can’t manage roles. On Discord, open Server Settings → Roles and give the bot’s role Manage Roles.',
  managed: (role) => `Discord or an integration manages ${role}, so nobody can give or take it. Choose another role.`,
  gone: (role) => `${role} was deleted on Discord. Choose another role.`,
  powerful: (role) => `${role} lets people run the Discord server. Only the Owner can allow it, in this Server’s rules.`,
  bot_absent: () => 'The bot isn’t in the Discord server. Add it again on the Guild’s page.',
  owner: () => 'Discord lets nobody change the nickname of the Discord server’s owner. There’s nothing to fix.',
  higher_role: () => 'This person has a higher role than the bot. On Discord, open Server Settings → Roles and drag the bot’s role up.',
  no_nicknames: () => 'The bot can’t manage nicknames. On Discord, open Server Settings → Roles and give the bot’s role Manage Nicknames.',
  too_many: () => 'This person already has as many roles as Discord allows.',
  server_inactive: () => 'The Server is inactive. Activate it on its page.',
};

/** A word that this version does not know is told as it is. `role` is what the role is called. */
export function fixOf(reason: string, role: string): string {
  return WORDS[reason]?.(role) ?? `Discord or the game server refused it (${reason}).`;
}
