// What the ids in the audit log are called, and where their pages are.

import type { AuditName } from '$lib/api/schema';
import type { Permission } from '$lib/can';
import { href } from '$lib/router.svelte';

/** A piece of a sentence: plain words, or the name of something, with the way to it. */
export type Part = string | { name: string; page?: string };

/** Words with names between them. */
export function say(texts: TemplateStringsArray, ...values: Array<Part[] | string | number>): Part[] {
  const parts = texts.flatMap((text, at): Part[] => {
    const value = values[at] ?? '';
    return [text, ...(Array.isArray(value) ? value : [String(value)])];
  });
  return parts.filter((part) => part !== '');
}

/** The names of everything that a stretch of the log mentions. */
export interface NameBook {
  find: (id: string | null | undefined) => AuditName | undefined;
  /** Where its page is, for those who may open it. */
  page: (name: AuditName) => string | undefined;
}

export function nameBook(names: ReadonlyArray<AuditName>, org: string, may: (permission: Permission) => boolean): NameBook {
  const byId = new Map(names.map((name) => [name.id, name]));
  return { find: (id) => (id ? byId.get(id) : undefined), page: (name) => pageOf(name, org, may) };
}

function pageOf({ id, kind, server_id, gone }: AuditName, org: string, may: (permission: Permission) => boolean): string | undefined {
  const server = (sid: string | null | undefined) => (sid && may('servers.view') ? href('/orgs/:org/servers/:sid', { org, sid }) : undefined);
  if (gone) return undefined;
  switch (kind) {
    case 'guild':
      return may('org.settings') ? href('/orgs/:org/guilds/:gid', { org, gid: id }) : undefined;
    case 'server':
      return server(id);
    case 'plugin_key':
    case 'bot_key':
      return server(server_id);
    case 'custom_key':
      return may('servers.keys') ? href('/orgs/:org/keys', { org }) : undefined;
    case 'account':
      return may('org.team') ? href('/orgs/:org/team', { org }) : undefined;
    case 'invite':
      return may('org.invites') ? href('/orgs/:org/team', { org }, { tab: 'invites' }) : undefined;
    case 'link':
    case 'org':
      return undefined;
  }
}

/** What something is called that has no name any more. */
const NAMELESS: Record<string, string> = {
  usr_: 'a deleted account',
  org_: 'a deleted organisation',
  gld_: 'a removed Guild',
  srv_: 'a deleted Server',
  key_: 'a deleted key',
  lnk_: 'a player',
  inv_: 'an invite',
};

export function nameless(id: string | null | undefined): string {
  return NAMELESS[id?.slice(0, 4) ?? ''] ?? 'something deleted';
}

/** What a choice in a filter is called, and what it is. */
export function choiceOf({ id, kind, name, gone }: AuditName): { value: string; label: string; hint?: string } {
  const called = name ?? nameless(id);
  switch (kind) {
    case 'account':
      return { value: id, label: called, hint: gone ? 'Not in the team' : 'Member' };
    case 'org':
      return { value: id, label: called, hint: gone ? 'Deleted organisation' : 'Organisation' };
    case 'guild':
      return { value: id, label: called, hint: gone ? 'Removed Guild' : 'Guild' };
    case 'server':
      return { value: id, label: called, hint: gone ? 'Deleted Server' : 'Server' };
    case 'plugin_key':
      return { value: id, label: `Plugin of ${called}` };
    case 'bot_key':
      return { value: id, label: `Bot of ${called}` };
    case 'custom_key':
      return { value: id, label: called, hint: gone ? 'Removed key' : 'Key' };
    case 'link':
      return { value: id, label: name ?? 'an erased player', hint: 'Link' };
    case 'invite':
      return { value: id, label: 'An invite' };
  }
}
