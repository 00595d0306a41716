// What a new Org has to do before players can link.

import type { Overview } from '$lib/api/schema';
import type { Permission } from '$lib/can';
import { href } from '$lib/router.svelte';
import type { Step } from '$lib/ui/StepList.svelte';

export function setupSteps(org: string, data: Overview, may: (permission: Permission) => boolean): Step[] {
  const at = (path: string, params: Record<string, string> = {}) => href(`/orgs/:org${path}`, { org, ...params });
  const quiet = new Set(data.attention.filter((one) => one.kind === 'no_log_channel').map((one) => one.subject));
  const withoutLog = data.guilds.find((guild) => quiet.has(guild.id));
  const waiting = data.servers.find((server) => server.last_call_at_ms == null);
  const steps: Array<Step & { needs: Permission; unknown?: boolean }> = [
    {
      title: 'Connect a Guild',
      text: 'The chat community whose members will link.',
      done: data.guilds.length > 0,
      href: at('/guilds/new'),
      action: 'Add Guild',
      needs: 'org.settings',
    },
    {
      title: 'Add a game server',
      text: 'It gets a key of its own.',
      done: data.servers.length > 0,
      href: at('/servers'),
      action: 'Add server',
      needs: 'servers.manage',
    },
    {
      title: 'Connect the plugin',
      text: 'Put the key into the plugin’s configuration and reload it.',
      done: data.servers.some((server) => server.last_call_at_ms != null),
      href: waiting ? at('/servers/:sid', { sid: waiting.id }) : at('/servers'),
      action: 'Show key',
      needs: 'servers.keys',
    },
    {
      title: 'Choose a log channel',
      text: 'Links and unlinks are announced there.',
      done: data.guilds.length > 0 && !withoutLog,
      href: withoutLog ? at('/guilds/:gid', { gid: withoutLog.id }) : at('/guilds'),
      action: 'Set channel',
      needs: 'org.settings',
      // Others are not told whether there is one.
      unknown: !may('org.settings'),
    },
    {
      title: 'Dress the link page',
      text: 'Buttons to your shop, forum or chat.',
      done: data.usage.navigation_links > 0,
      href: at('/link-page'),
      action: 'Add buttons',
      needs: 'org.navigation',
    },
  ];
  const known = steps.filter((step) => !step.unknown);
  return known.map(({ needs, unknown, ...step }) => (may(needs) ? step : { ...step, href: undefined, action: undefined }));
}
