// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.

export interface ActionGroupView { name: string; actions: Array<string> }

export interface Area { name: string; permissions: Array<string> }

export interface Attention { kind: string; subject?: string | null }

export interface AuditEntry {
  seq: number;
  at_ms: number;
  actor_kind: "account" | "key" | "player" | "operator_cli" | "system";
  actor_id?: string | null;
  actor_name?: string | null;
  action: string;
  target?: string | null;
  detail: Record<string, unknown>;
}

export interface AuditList { entries: Array<AuditEntry>; next_before?: number | null; actions: Array<string> }

export interface BotKeyView { id: string; guild_id: string; server_id: string; prefix: string; last_used_at_ms?: number | null }

export interface Candidate { discord_guild_id: string; name: string; claimed: boolean }

export interface CandidateList { candidates: Array<Candidate>; looked_up_at_ms?: number | null; bot_invite_url?: string | null }

export interface CreatedOrg { id: string; slug: string }

export interface CustomKeyList {
  keys: Array<CustomKeyView>;
  bot_keys: Array<BotKeyView>;
  groups: Array<ActionGroupView>;
  plugin_actions: Array<string>;
  ceiling: number;
  allowed: boolean;
}

export interface CustomKeyView {
  id: string;
  name: string;
  guild_id: string;
  server_id?: string | null;
  actions: Array<string>;
  prefix: string;
  revoked: boolean;
  created_at_ms: number;
  last_used_at_ms?: number | null;
  query_calls: number;
}

export interface EditedKey { name: string; groups: Array<string>; actions: Array<string> }

export interface GuildChange {
  slug?: string | null;
  name?: string | null;
  log_channel_id?: string | null;
  steam_group?: string | null;
  join_mode?: "off" | "invite" | "auto";
  invite_url?: string | null;
  relink_cooldown_ms?: number | null;
  verified_roles?: Array<string> | null;
  booster_roles?: Array<string> | null;
  plugin_roles?: Array<string> | null;
}

export interface GuildList { guilds: Array<GuildView> }

export interface GuildRemoval { confirm: string }

export interface GuildView { id: string; discord_guild_id: string; slug: string; name: string; active_links: number }

export type GuildWithSettings = GuildView & {
  log_channel_id?: string | null;
  verified_roles: Array<string>;
  booster_roles: Array<string>;
  plugin_roles: Array<string>;
  steam_group?: null | SteamGroup;
  join_mode: "off" | "invite" | "auto";
  invite_url?: string | null;
  relink_cooldown_ms: number;
};

export interface InviteList { invites: Array<InviteView> }

export interface InviteView {
  id: string;
  url?: string | null;
  role: "admin" | "staff";
  permissions: Array<string>;
  note?: string | null;
  created_at_ms: number;
  created_by?: string | null;
  expires_at_ms?: number | null;
  revoked: boolean;
  expired: boolean;
  uses: number;
}

export interface KeyView {
  id: string;
  prefix: string;
  revoked: boolean;
  rotated_at_ms: number;
  last_used_at_ms?: number | null;
  query_calls: number;
}

export interface Me {
  id: string;
  name: string;
  discord_id: string;
  operator: boolean;
  signed_in_at_ms: number;
  registration: "open" | "invite_only";
  orgs_owned: number;
  orgs_ceiling: number;
  orgs: Array<OrgSummary>;
}

export interface Member {
  account_id: string;
  name: string;
  discord_id: string;
  role: Role;
  permissions: Array<string>;
  joined_at_ms?: number | null;
  you: boolean;
  can_edit: boolean;
}

export interface MemberChange { role?: "admin" | "staff"; permissions?: Array<string> | null }

export interface Navigation { links: Array<NavigationLink>; ceiling: number; link_pages: Array<string> }

export interface NavigationChange { links: Array<NavigationLink> }

export type NavigationIcon = "none" | "discord" | "steam" | "youtube" | "x" | "twitch" | "github" | "shop" | "forum" | "news" | "download" | "globe" | "external";

export interface NavigationLink { label: string; url: string; icon: NavigationIcon; new_tab: boolean }

export interface NewGuild { discord_guild_id: string; slug: string; name?: string | null }

export interface NewInvite {
  role: "admin" | "staff";
  permissions: Array<string>;
  note?: string | null;
  expires: "1d" | "7d" | "30d" | "never";
}

export interface NewKey { name: string; guild_id: string; server_id?: string | null; groups: Array<string>; actions: Array<string> }

export interface NewOrg { name: string; slug: string; invite_code?: string | null }

export interface NewServer { guild_id: string; name: string }

export interface OrgChange { name?: string | null; refuse_query_keys?: boolean | null }

export interface OrgRemoval { confirm: string }

export interface OrgSummary {
  id: string;
  slug: string;
  name: string;
  tier: Tier;
  role: Role;
  permissions: Array<string>;
  usage: Usage;
  ceilings: Usage;
}

export interface OrgView {
  id: string;
  slug: string;
  name: string;
  tier: Tier;
  refuse_query_keys: boolean;
  usage: Usage;
  ceilings: Usage;
}

export interface Overview {
  usage: Usage;
  ceilings: Usage;
  tier: Tier;
  guilds: Array<GuildView>;
  servers: Array<ServerView>;
  attention: Array<Attention>;
  recent?: Array<RecentLink> | null;
}

export interface PlainCustomKey { id: string; key: string }

export interface RecentLink {
  at_ms: number;
  linked: boolean;
  cause?: string | null;
  guild_id: string;
  discord_id: string;
  discord_name?: string | null;
  steam_id: string;
  steam_name?: string | null;
  country?: string | null;
}

export interface RevealedKey { server_id: string; key: string }

export type Role = "owner" | "admin" | "staff";

export interface RoleDefaults { role: "admin" | "staff"; permissions: Array<string> }

export interface ServerChange {
  name?: string | null;
  active?: boolean | null;
  bare_ids?: boolean | null;
  linked_group?: string | null;
  booster_group?: string | null;
  steam_members_group?: string | null;
  poll_seconds?: number | null;
}

export interface ServerList { servers: Array<ServerView> }

export interface ServerView {
  id: string;
  guild_id: string;
  name: string;
  active: boolean;
  bare_ids: boolean;
  created_at_ms: number;
  last_call_at_ms?: number | null;
  plugin_version?: string | null;
  linked_group: string;
  booster_group: string;
  steam_members_group: string;
  poll_seconds: number;
  key: KeyView;
}

export interface SessionList { sessions: Array<SessionView> }

export interface SessionView {
  id: string;
  device?: string | null;
  created_at_ms: number;
  seen_at_ms: number;
  expires_at_ms: number;
  current: boolean;
}

export interface SteamGroup { pasted: string; id: string }

export interface Team { members: Array<Member>; areas: Array<Area>; defaults: Array<RoleDefaults>; grantable: Array<string> }

export type Tier = "free" | "standard" | "pro";

export interface Transfer { account_id: string; confirm: string }

export interface Usage { guilds: number; servers: number; links: number; navigation_links: number }

export interface Operations {
  /** Who is signed in, and their Orgs */
  'GET /account': { path: {}; query: {}; body: undefined; answer: Me };
  /** Leave an Org */
  'DELETE /account/memberships/{org}': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** The sessions of the signed-in person */
  'GET /account/sessions': { path: {}; query: {}; body: undefined; answer: SessionList };
  /** End every session but this one */
  'DELETE /account/sessions': { path: {}; query: {}; body: undefined; answer: undefined };
  /** End one session */
  'DELETE /account/sessions/{session}': { path: { session: string }; query: {}; body: undefined; answer: undefined };
  /** End this session */
  'POST /account/sign-out': { path: {}; query: {}; body: undefined; answer: undefined };
  /** Create an Org */
  'POST /orgs': { path: {}; query: {}; body: NewOrg; answer: CreatedOrg };
  /** Delete an Org with everything in it */
  'DELETE /orgs/{org}': { path: { org: string }; query: {}; body: OrgRemoval; answer: undefined };
  /** The audit log */
  'GET /orgs/{org}/audit': { path: { org: string }; query: { action?: string; actor?: string; target?: string; from_ms?: number; to_ms?: number; before?: number; limit?: number }; body: undefined; answer: AuditList };
  /** The Guilds of an Org */
  'GET /orgs/{org}/guilds': { path: { org: string }; query: {}; body: undefined; answer: GuildList };
  /** Claim a Guild */
  'POST /orgs/{org}/guilds': { path: { org: string }; query: {}; body: NewGuild; answer: GuildView };
  /** Discord servers the person could claim */
  'GET /orgs/{org}/guilds/candidates': { path: { org: string }; query: {}; body: undefined; answer: CandidateList };
  /** A Guild with its settings */
  'GET /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: undefined; answer: GuildWithSettings };
  /** Change a Guild */
  'PATCH /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: GuildChange; answer: undefined };
  /** Remove a Guild and archive its links */
  'DELETE /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: GuildRemoval; answer: undefined };
  /** The invites of an Org */
  'GET /orgs/{org}/invites': { path: { org: string }; query: {}; body: undefined; answer: InviteList };
  /** Create an invite */
  'POST /orgs/{org}/invites': { path: { org: string }; query: {}; body: NewInvite; answer: InviteView };
  /** Give an invite a new code */
  'POST /orgs/{org}/invites/{invite}/reissue': { path: { org: string; invite: string }; query: {}; body: undefined; answer: InviteView };
  /** Revoke an invite */
  'POST /orgs/{org}/invites/{invite}/revoke': { path: { org: string; invite: string }; query: {}; body: undefined; answer: undefined };
  /** The keys of an Org */
  'GET /orgs/{org}/keys': { path: { org: string }; query: {}; body: undefined; answer: CustomKeyList };
  /** Create a custom key */
  'POST /orgs/{org}/keys': { path: { org: string }; query: {}; body: NewKey; answer: PlainCustomKey };
  /** Change a custom key */
  'PUT /orgs/{org}/keys/{key}': { path: { org: string; key: string }; query: {}; body: EditedKey; answer: undefined };
  /** Show a custom key */
  'POST /orgs/{org}/keys/{key}/reveal': { path: { org: string; key: string }; query: {}; body: undefined; answer: PlainCustomKey };
  /** Revoke a custom key */
  'POST /orgs/{org}/keys/{key}/revoke': { path: { org: string; key: string }; query: {}; body: undefined; answer: undefined };
  /** The buttons of the link page */
  'GET /orgs/{org}/navigation': { path: { org: string }; query: {}; body: undefined; answer: Navigation };
  /** Replace the buttons of the link page */
  'PUT /orgs/{org}/navigation': { path: { org: string }; query: {}; body: NavigationChange; answer: Navigation };
  /** Counts, health and what needs attention */
  'GET /orgs/{org}/overview': { path: { org: string }; query: {}; body: undefined; answer: Overview };
  /** The Servers of an Org */
  'GET /orgs/{org}/servers': { path: { org: string }; query: {}; body: undefined; answer: ServerList };
  /** Create a Server and its key */
  'POST /orgs/{org}/servers': { path: { org: string }; query: {}; body: NewServer; answer: RevealedKey };
  /** A Server */
  'GET /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: undefined; answer: ServerView };
  /** Change a Server */
  'PATCH /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: ServerChange; answer: undefined };
  /** Delete a Server and its key */
  'DELETE /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: undefined; answer: undefined };
  /** Replace the key of a Server */
  'POST /orgs/{org}/servers/{server}/key/regenerate': { path: { org: string; server: string }; query: {}; body: undefined; answer: RevealedKey };
  /** Show the key of a Server */
  'POST /orgs/{org}/servers/{server}/key/reveal': { path: { org: string; server: string }; query: {}; body: undefined; answer: RevealedKey };
  /** Revoke the key of a Server */
  'POST /orgs/{org}/servers/{server}/key/revoke': { path: { org: string; server: string }; query: {}; body: undefined; answer: undefined };
  /** The settings of an Org */
  'GET /orgs/{org}/settings': { path: { org: string }; query: {}; body: undefined; answer: OrgView };
  /** Change the settings of an Org */
  'PATCH /orgs/{org}/settings': { path: { org: string }; query: {}; body: OrgChange; answer: undefined };
  /** The members of an Org */
  'GET /orgs/{org}/team': { path: { org: string }; query: {}; body: undefined; answer: Team };
  /** Change a member */
  'PATCH /orgs/{org}/team/{account}': { path: { org: string; account: string }; query: {}; body: MemberChange; answer: undefined };
  /** Remove a member */
  'DELETE /orgs/{org}/team/{account}': { path: { org: string; account: string }; query: {}; body: undefined; answer: undefined };
  /** Hand the Org to another member */
  'POST /orgs/{org}/transfer': { path: { org: string }; query: {}; body: Transfer; answer: undefined };
}
