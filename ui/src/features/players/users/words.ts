// What the list and its dialogs say.

import type { User, UserChoices } from '$lib/api/schema';
import { count, number } from '$lib/format';

const SHOWN = 2;
const ROLES = 'Roles and groups that we gave for';

/** "EU Main 2x, US Main 2x and 3 more"; Servers that are gone are left out. */
export function serverWords(ids: readonly string[], choices: Pick<UserChoices, 'servers'> | undefined): string {
  const names = ids.flatMap((id) => choices?.servers.find((server) => server.id === id)?.name ?? []);
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What unlinking one person does. */
export function oneEffect(user: Pick<User, 'active_links'>, guild: { name: string } | null): string {
  const many = user.active_links > 1;
  const back = (it: string) => `${ROLES} ${it} are taken back. They can link again.`;
  if (guild) return `This ends their link in ${guild.name}.${many ? ' Links in other Guilds stay.' : ''} ${back('it')}`;
  return many ? `This ends their ${count(user.active_links, 'active link')}, in every Guild. ${back('them')}` : `This ends their link. ${back('it')}`;
}

/** What unlinking many does; `links` is null where nobody knows yet how many they are. */
export function manyEffect(links: number | null, guild: { name: string } | null): string {
  const what = links === null ? 'their active links' : count(links, 'active link');
  const where = guild ? `only in ${guild.name}. Links in other Guilds stay.` : 'in every Guild.';
  return `This ends ${what}, ${where} ${ROLES} them are taken back. Players can link again.`;
}

/** How the last bulk unlink ended. */
export function endInWords(last: { cancelled: boolean; done: number; total: number } | null): string {
  if (last === null) return 'Unlinking has ended';
  const links = `${number(last.done)} of ${count(last.total, 'link')} ended`;
  return last.cancelled ? `Unlinking was cancelled: ${links}` : `Finished unlinking: ${links}`;
}
