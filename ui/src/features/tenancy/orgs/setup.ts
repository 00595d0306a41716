// What a new Org has to do before players can link.

import type { Attention, Overview } from '$lib/api/schema';
import { BUILT } from '$lib/built';
import type { Permission } from '$lib/can';
import { href } from '$lib/router.svelte';
import type { Step } from '$lib/ui/StepList.svelte';

export interface SetupStep extends Step {
  /** What would be told as needing attention, were it not a step. */
  tells?: string;
}

export function setupSteps(org: string, data: Overview, may: (permission: Permission) => boolean): SetupStep[] {
  const at = (path: string, params: Record<string, string> = {}, query: Record<string, string> = {}) =>
    href(`/orgs/:org${path}`, { org, ...params }, query);
  const quiet = new Set(data.attention.filter((one) => one.kind === 'no_log_channel').map((one) => one.subject));
  const withoutLog = data.guilds.find((guild) => quiet.has(guild.id));
  const waiting = data.servers.find((server) => server.last_call_at_ms == null);
  const noGuild = data.guilds.length === 0 ? 'Needs a Guild' : undefined;
  const steps: Array<SetupStep & { needs: Permission; exists?: boolean }> = [
    {
      title: 'Add a Guild',
      text: 'The Discord server whose members will link.',
      done: data.guilds.length > 0,
      href: at('/guilds/new'),
      action: 'Add Guild',
      tells: 'no_guild',
      needs: 'org.settings',
    },
    {
      title: 'Add a game server',
      text: 'It gets its own key.',
      done: data.servers.length > 0,
      href: at('/servers', {}, { new: '1' }),
      action: 'Add Server',
      tells: 'no_server',
      waits: noGuild,
      needs: 'servers.manage',
    },
    {
      title: 'Set up the plugin',
      text: 'Put it and its Symbolon.json on your game server.',
      done: data.servers.some((server) => server.last_call_at_ms != null),
      href: at('/plugin', {}, waiting ? { server: waiting.id } : {}),
      action: 'Set up plugin',
      waits: data.servers.length === 0 ? 'Needs a Server' : undefined,
      needs: 'servers.keys',
    },
    {
      title: 'Choose a log channel',
      text: 'Links and unlinks are posted there.',
      done: data.guilds.length > 0 && !withoutLog,
      href: withoutLog ? at('/guilds/:gid', { gid: withoutLog.id }) : at('/guilds'),
      action: 'Set channel',
      tells: 'no_log_channel',
      waits: noGuild,
      needs: 'org.settings',
      // Others are not told whether there is one.
      exists: BUILT.logs && may('org.settings'),
    },
    {
      title: 'Customise the link page',
      text: 'Buttons to your shop, forum or chat.',
      done: data.usage.navigation_links > 0,
      href: at('/link-page'),
      action: 'Add buttons',
      waits: noGuild,
      needs: 'org.navigation',
    },
  ];
  return steps
    .filter(({ exists = true }) => exists)
    .map(({ needs, exists: _, ...step }) => (may(needs) ? step : { ...step, href: undefined, action: undefined }));
}

/** What needs attention, without what an open step tells already and what is not built yet. */
export function besides(steps: readonly SetupStep[], attention: readonly Attention[]): Attention[] {
  const told = steps.filter((step) => !step.done).map((step) => step.tells);
  return attention.filter(({ kind }) => !told.includes(kind) && (BUILT.logs || kind !== 'no_log_channel'));
}
