// Why a role cannot be changed, and what puts it right.

const WORDS: Record<string, (role: string) => string> = {
  above_bot: (role) => `The bot’s role is too low. On Discord, open Server Settings → Roles and drag the bot’s role above ${role}.`,
  no_permission: () => 'The bot can’t manage roles. On Discord, open Server Settings → Roles and give the bot’s role Manage Roles.',
  managed: (role) => `Discord or an integration manages ${role}, so nobody can give or take it. Choose another role.`,
  gone: (role) => `${role} was deleted on Discord. Choose another role.`,
  powerful: (role) => `${role} lets people run the Discord server. Only the Owner can allow it, in this Server’s rules.`,
  forbidden: (role) => `Discord refused it. On Discord, open Server Settings → Roles, check that the bot’s role has Manage Roles, and drag it above ${role}.`,
  not_shown: () => 'The game server didn’t apply it, though its plugin fetched it several times. Check that the plugin is up to date and that no other plugin undoes it.',
  withdrawn: () => 'Its rule was changed or removed before the plugin fetched it.',
};

/** A word that this version does not know is told as it is. `role` is what the role is called. */
export function fixOf(reason: string, role: string): string {
  return WORDS[reason]?.(role) ?? `Discord or the game server refused it (${reason}).`;
}
