// What needs attention, in words, with the place where it is put right.

import type { Attention, Overview } from '$lib/api/schema';
import { sentence } from '$lib/format';
import { href } from '$lib/router.svelte';
import { DIMENSIONS } from './dimensions';

export interface Notice {
  id: string;
  text: string;
  /** What the link does; without an address there is nothing to do on a page. */
  fix: string;
  href: string | null;
  tone: 'bad' | 'warn' | 'info';
}

export function notices(org: string, overview: Pick<Overview, 'attention' | 'servers' | 'guilds'>): Notice[] {
  return overview.attention.map((one) => {
    const found = notice(org, overview, one);
    return { ...found, id: `${one.kind} ${one.subject ?? ''}`, text: sentence(found.text) };
  });
}

function notice(
  org: string,
  { servers, guilds }: Pick<Overview, 'servers' | 'guilds'>,
  { kind, subject }: Attention,
): Omit<Notice, 'id'> {
  const server = servers.find((one) => one.id === subject);
  const guild = guilds.find((one) => one.id === subject);
  const serverName = server?.name ?? 'a server';
  const guildName = guild?.name ?? 'a Guild';
  const at = (path: string, params: Record<string, string> = {}) => href(`/orgs/:org${path}`, { org, ...params });
  const serverPage = server ? at('/servers/:sid', { sid: server.id }) : at('/servers');
  const guildPage = guild ? at('/guilds/:gid', { gid: guild.id }) : at('/guilds');

  switch (kind) {
    case 'no_guild':
      return { tone: 'info', text: 'No Guild is connected, so nobody can link yet.', fix: 'Add Guild', href: at('/guilds/new') };
    case 'no_server':
      return { tone: 'info', text: `${guildName} has no game server.`, fix: 'Add server', href: at('/servers') };
    case 'never_called':
      return { tone: 'info', text: `${serverName} has never called. Put its key into the plugin.`, fix: 'Show key', href: serverPage };
    case 'silent':
      return { tone: 'warn', text: `${serverName} has not called for more than a day.`, fix: 'Look at server', href: serverPage };
    case 'inactive':
      return { tone: 'warn', text: `${serverName} is inactive: its calls are refused.`, fix: 'Activate', href: serverPage };
    case 'key_revoked':
      return { tone: 'bad', text: `The key of ${serverName} is revoked: its calls are refused.`, fix: 'Regenerate key', href: serverPage };
    case 'query_keys':
      return server
        ? { tone: 'warn', text: `${server.name} sends its key in the address, where logs may keep it.`, fix: 'Look at server', href: serverPage }
        : { tone: 'warn', text: 'A custom key is sent in the address, where logs may keep it.', fix: 'Look at keys', href: at('/keys') };
    case 'no_log_channel':
      return { tone: 'info', text: `${guildName} has no log channel: links are not announced.`, fix: 'Set channel', href: guildPage };
    case 'retired_key_used':
      return { tone: 'bad', text: 'A key that was replaced is still being used somewhere.', fix: 'Look at servers', href: at('/servers') };
    case 'over_limit': {
      const dimension = DIMENSIONS.find((one) => one.key === subject);
      return {
        tone: 'warn',
        text: `${dimension?.label ?? 'Something'}: over the limit of the plan. You keep what you have; you cannot add more.`,
        fix: `Look at ${dimension?.label.toLowerCase() ?? 'it'}`,
        href: dimension?.path ? href(dimension.path, { org }) : null,
      };
    }
    default:
      // A newer server knows something this page does not.
      return { tone: 'info', text: `Needs attention: ${kind.replaceAll('_', ' ')}.`, fix: 'Look at servers', href: at('/servers') };
  }
}
