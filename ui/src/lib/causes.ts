// Why a link ended, in words.

/** In the order in which they are told. */
export const CAUSES = ['user', 'admin', 'plugin', 'relink', 'zombie-cleanup'] as const;
export type Cause = (typeof CAUSES)[number];

const WORDS: Record<string, string> = {
  user: 'by the player',
  admin: 'by the team',
  plugin: 'by the plugin',
  relink: 'by relinking',
  'zombie-cleanup': 'dormant',
};

/** A cause that this version does not know is told as it is. */
export function causeWords(cause: string): string {
  return WORDS[cause] ?? cause;
}
