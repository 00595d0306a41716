// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.

export type Accent = "indigo" | "blue" | "teal" | "green" | "amber" | "red" | "pink" | "violet";
export interface AccountPage { accounts: Array<AccountRow>; next_after?: string | null }

/** An account with what hangs on it. */
export type AccountPageOfOne = AccountRow & {
  blocked: boolean;
  orgs: Array<OrgOfAccount>;
  /** Signed-in browsers, 100 at most. */
  sessions: number;
};

/** The word `delete`, typed by hand. */
export interface AccountRemoval { confirm: string }

/** An account as operators find it. */
export interface AccountRow { created_at_ms: number; discord_id: string; id: string; name: string; operator: boolean; orgs_owned: number }

export interface ActionGroupView { actions: Array<string>; name: string }

/** An Org in numbers. Days are in UTC. */
export interface AnalyticsNumbers {
  /** Active links that the plan allows in all Guilds together; nothing where one Guild is asked for. */
  ceiling?: number | null;
  countries: LinkCountries;
  /** All of them, in order. */
  days: Array<DayOfLinks>;
  /** The first day that is told. */
  from: string;
  funnel: LinkFunnel;
  /** Links of the last fourteen months, the oldest first; the days that are asked for do not matter here. */
  retention: Array<MonthOfLinks>;
  /** People with an active link, counted each night. Days without a count are not there. */
  tiers: Array<DayOfTiers>;
  /** The last one. */
  to: string;
}

/** What is left out stays as it is. */
export interface AnnouncementEdit {
  /** Nothing takes the end away. */
  ends_at_ms?: number | null;
  /** As it was read. A save by somebody else since then refuses this one. */
  revision?: number | null;
  severity?: AnnouncementSeverity | null;
  starts_at_ms?: number | null;
  target?: AnnouncementTarget | null;
  text?: string | null;
}

export interface AnnouncementPage { announcements: Array<AnnouncementView>; next_after?: string | null }
export type AnnouncementSeverity = "info" | "success" | "warning" | "critical";
export type AnnouncementState = "planned" | "shown" | "ended";
export type AnnouncementTarget = "all" | "free" | "standard" | "pro" | "paid";

/** Something that operators tell people. */
export interface AnnouncementView {
  created_at_ms: number;
  created_by?: string | null;
  /** How many people do not want to see it any more. */
  dismissals: number;
  ends_at_ms?: number | null;
  id: string;
  /** One more with every change. */
  revision: number;
  severity: AnnouncementSeverity;
  starts_at_ms: number;
  state: AnnouncementState;
  target: AnnouncementTarget;
  text: string;
}

export interface Area { name: string; permissions: Array<string> }

/** One thing that somebody should look at. */
export interface Attention {
  fix?: Fix | null;
  /** Its name for programs. */
  kind: string;
  severity: Severity;
  /** What it is about: an id, or something that the plan counts. */
  subject?: string | null;
  text: string;
}

export interface AttentionList { attention: Array<Attention> }
export type AuditAction = "org.created" | "org.changed" | "org.removed" | "org.owner_changed" | "org.navigation_changed" | "member.added" | "member.changed" | "member.removed" | "member.left" | "invite.created" | "invite.reissued" | "invite.revoked" | "audit.exported" | "org.trust_changed" | "org.cleanup_changed" | "org.tier_changed" | "org.tier_granted" | "org.tier_grant_ended" | "billing.checkout_opened" | "billing.portal_opened" | "billing.subscription_changed" | "billing.subscription_forgotten" | "guild.created" | "guild.changed" | "guild.removed" | "guild.recheck_started" | "guild.recheck_cancelled" | "server.created" | "server.activated" | "server.deactivated" | "server.changed" | "server.roles_changed" | "server.deleted" | "key.created" | "key.edited" | "key.revealed" | "key.regenerated" | "key.revoked" | "key.removed" | "key.retired_used" | "link.created" | "link.relinked" | "link.removed" | "person.erased" | "person.looked_up" | "account.deleted" | "user.viewed" | "users.exported" | "analytics.exported" | "users.unlink_started" | "users.unlink_cancelled" | "users.unlink_finished" | "users.kept" | "users.cleanup_ran" | "job.dropped" | "job.retried" | "links.imported" | "import.started" | "import.finished" | "import.cancelled" | "session.created" | "session.ended" | "sessions.ended" | "sessions.idle_dropped" | "operator.granted" | "operator.revoked" | "block.added" | "block.removed" | "access.denied" | "maintenance.switched" | "registration.changed" | "registration.code_made" | "registration.code_revoked" | "announcement.created" | "announcement.changed" | "announcement.deleted" | "flag.set" | "plugin.published" | "plugin.withdrawn" | "plugin.restored" | "visit.began" | "visit.ended" | "org.recovered" | "guild.released" | "ring.rotated" | "bot.token_saved" | "bot.retried" | "bot.removed" | "bot_secret.shown" | "bot_secret.rotated" | "webhook.added" | "webhook.rotated" | "webhook.retried" | "webhook.removed";

/** Whether the entries of an audit log are as they were written. */
export interface AuditCheck {
  entries: number;
  /** What does not fit. */
  finding?: string | null;
  intact: boolean;
}

/** What the log can be filtered by. */
export interface AuditChoices {
  /** For `actor`, and members also for `target`: whoever did something, and the whole team. */
  actors: Array<AuditName>;
  /** For `target`: Guilds, Servers and custom keys. */
  things: Array<AuditName>;
}

export interface AuditEntry {
  action: string;
  actor_id?: string | null;
  actor_kind: string;
  actor_name?: string | null;
  at_ms: number;
  detail: Record<string, unknown>;
  seq: number;
  target?: string | null;
}

export interface AuditList {
  /** Every action there is, for choosing one. */
  actions: Array<AuditAction>;
  entries: Array<AuditEntry>;
  /** What the ids in these entries are called now; what is not here is gone, or not for the reader to know. */
  names: Array<AuditName>;
  /** What to ask for as `before` to go on; nothing at the end. */
  next_before?: number | null;
}

/** One id of the log, as people know it. */
export interface AuditName {
  /** Deleted or removed; of a person, not in the team. */
  gone: boolean;
  id: string;
  kind: AuditNameKind;
  /**
   * Of a plugin or bot key: that of its Server. Of a link: its player's. Of an invite: the role. Nothing for an
   * erased player, and for what was deleted before the log kept its name.
   */
  name?: string | null;
  /** The Server of a key that has one. */
  server_id?: string | null;
}

export type AuditNameKind = "account" | "org" | "guild" | "server" | "plugin_key" | "custom_key" | "bot_key" | "link" | "invite";

/** When the visit ends by itself. */
export interface BegunVisit { ends_at_ms: number }

/** What an organisation pays for, and what it could. */
export interface BillingView {
  /** Whether Stripe is being asked, because something changed. */
  asking: boolean;
  /** What a Custom Bot costs a month, in US cents. */
  bot_price: number;
  grant?: GrantView | null;
  /** All plans, the smallest first. */
  plans: Array<PlanView>;
  /** Whether there is anything to manage in the portal. */
  portal: boolean;
  /** When Stripe was last heard. */
  read_at_ms?: number | null;
  /** Those that are not over, oldest first. */
  subscriptions: Array<SubscriptionView>;
  tier: Tier;
  usage: Usage;
}

export interface BlockPage { blocks: Array<BlockView>; next_after?: string | null }

/** An account or a network that cannot sign in. */
export interface BlockView {
  created_at_ms: number;
  /** Only what remains of an account is blocked. */
  erased: boolean;
  expires_at_ms?: number | null;
  id: string;
  /** `discord`, `steam` or `network`. */
  kind: string;
  reason: string;
  /** Nothing for an erased account. */
  value?: string | null;
}

export interface BotKeyView { guild_id: string; id: string; last_used_at_ms?: number | null; prefix: string; server_id: string }
export type BotRestart = "crashed" | "memory" | "silent" | "token_replaced" | "resumed" | "moved";
export type BotStatus = "starting" | "online" | "paused" | "failed";
export type BotStep = "allocate" | "install" | "deploy" | "start";

/** A bot's token from Discord's developer portal. */
export interface BotToken {
  /** Whether it may be another bot's than before. */
  new_identity?: boolean;
  token: string;
}

export type BotTrouble = "token_rejected" | "identify_budget" | "sharding_required" | "refused" | "crash_loop" | "install_error" | "not_in_guild" | "unreachable" | "intents_missing" | "no_room";
export interface BuildPage { builds: Array<BuildRow> }

/** A build of the plugin. */
export interface BuildRow {
  file_name: string;
  latest: boolean;
  published_at_ms: number;
  sha256: string;
  size: number;
  version: string;
  /** Not offered any more. */
  withdrawn: boolean;
}

/** How far a bulk unlink is. */
export interface BulkUnlink { last?: EndedUnlink | null; running?: RunningUnlink | null }

/** Whom to unlink: people by id, or everybody who fits. One of the two. */
export interface BulkUnlinkChoice {
  filter?: UserFilter | null;
  /** Links end only there. A filter with a Guild or a Server says so by itself. */
  guild_id?: string | null;
  /** Discord IDs or Steam IDs, at most 500. */
  users?: Array<string> | null;
}

/** How many links will end. */
export interface BulkUnlinkStarted { links: number }

export interface Candidate {
  /** An organisation has it already. */
  claimed: boolean;
  discord_guild_id: string;
  name: string;
}

export interface CandidateList {
  bot_invite_url?: string | null;
  candidates: Array<Candidate>;
  /** When Discord was asked; nothing when it has to be asked first. */
  looked_up_at_ms?: number | null;
}

export type CheckState = "bad" | "warn" | "unknown" | "ok";
export type CheckTopic = "bot" | "permissions" | "log_channel" | "roles" | "server" | "plugin" | "configuration" | "key" | "steam_group" | "clock";
export interface CheckedServer { id: string; name: string }

/** A page at Stripe, where somebody pays. */
export interface CheckoutView { expires_at_ms: number; url: string }

export interface ClassTone { class: GroupClass; tone: PillTone }

/** What is to be done about dormant accounts. */
export interface CleanupChange {
  /** From 7 to 365. */
  days: number;
  enabled: boolean;
  /** From 1 to 90. */
  grace_days: number;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
}

/** Where the game servers were not heard from on enough days, nobody is dormant. */
export interface CleanupGuild {
  /** Days on which a game server was heard from, as far back as the settings look. */
  heard_days: number;
  id: string;
  name: string;
  /** Whether they are enough. */
  ready: boolean;
}

/** Who is to stay. */
export interface CleanupKeep {
  /** Discord IDs or Steam IDs, at most 500. */
  users: Array<string>;
}

/** Links whose flag was taken off. */
export interface CleanupKept { links: number }

/** Whom a run would find. */
export interface CleanupPreview {
  days: number;
  guilds: Array<PreviewGuild>;
  /** Dormant links in all Guilds, flagged or not. */
  total: number;
  /** The 500 who were away longest. Empty for those who may not see people. */
  users: Array<PreviewUser>;
}

export interface CleanupRun {
  at_ms: number;
  /** Flags that were taken off. */
  cleared: number;
  /** Links that ended. */
  ended: number;
  /** Links that were flagged. */
  flagged: number;
}

/** What is done about dormant accounts, and how things stand. */
export interface CleanupSettings {
  /** Days without a sign of somebody, of those on which a game server of the Guild was heard from. */
  days: number;
  enabled: boolean;
  /** People with a flagged link. */
  flagged: number;
  /** Days between flag and unlink, counted alike. */
  grace_days: number;
  guilds: Array<CleanupGuild>;
  last_run?: CleanupRun | null;
  /** One more with every save. */
  revision: number;
  /** A run is under way. */
  running: boolean;
}

export interface CountryOfLinks { country: string; links: number }
export interface CreatedOrg { id: string; slug: string }

/** A Guild's Custom Bot, and the shared bot that works while it does not. */
export interface CustomBot {
  /** Why one may run: `subscribed`, `included` where this installation lets every Guild have one, or `none`. */
  access: string;
  bot?: OwnBot | null;
  guild_name: string;
  /** Linked accounts, which the bot's presence tells. */
  linked: number;
  shared: SharedBot;
  /** Whether it can be bought here. */
  sold: boolean;
}

export interface CustomKeyList {
  /** False on the Free plan. */
  allowed: boolean;
  /** The platform's own keys, to look at. */
  bot_keys: Array<BotKeyView>;
  ceiling: number;
  groups: Array<ActionGroupView>;
  keys: Array<CustomKeyView>;
  /** What every Server's own key may do. */
  plugin_actions: Array<string>;
}

export interface CustomKeyView {
  actions: Array<string>;
  created_at_ms: number;
  guild_id: string;
  id: string;
  last_used_at_ms?: number | null;
  name: string;
  prefix: string;
  query_calls: number;
  /** One more with every edit. */
  revision: number;
  revoked: boolean;
  server_id?: string | null;
}

export interface DayOfLinks {
  /** Active links at the end of the day, or by now. */
  active: number;
  day: string;
  ended: EndedLinks;
  /** Links that began, relinks among them. */
  linked: number;
}

export interface DayOfTiers { day: string; normal: number; risk: number; trusted: number; watch: number }

/** A channel of the Discord server, or a category. */
export interface DiscordChannel {
  /** When it was first missed; the name is what it was called. */
  gone_at_ms?: number | null;
  id: string;
  /** Discord's number for what it is: 0 is text, 4 a category, 5 announcements. */
  kind: number;
  name: string;
  /** Its category. */
  parent_id?: string | null;
  position: number;
  /** Why the bot cannot post in it: `not_text`, `cannot_see`, `cannot_post` or `cannot_embed`. */
  reason?: string | null;
}

/** A role of the Discord server. */
export interface DiscordRole {
  /** 0 is none. */
  colour: number;
  /** When it was first missed; the name is what it was called. */
  gone_at_ms?: number | null;
  id: string;
  name: string;
  position: number;
  /** Why the bot does not give it: `managed`, `above_bot`, `no_permission` or `powerful`. */
  reason?: string | null;
}

/** A button under way. One without a label that can be kept is left out. */
export interface DraftButton { icon: NavigationIcon; label: string }

/** What rules would do, by what was last known of everybody. */
export interface DryRun {
  add: number;
  cannot: number;
  /** At most 200 of them. */
  changes: Array<DryRunChange>;
  members: number;
  /** There are more than are listed. */
  more: boolean;
  /** Why, once for each role. */
  reasons: Array<DryRunReason>;
  remove: number;
  /** Nobody has looked at them yet, so nothing is counted for them. */
  unknown: number;
}

export interface DryRunChange {
  cannot?: RoleReason | null;
  change: RoleChangeKind;
  discord_id: string;
  group?: string | null;
  name?: string | null;
  role_id?: string | null;
  /** Which rule of the list, counted from 0. */
  rule: number;
  side: RoleSide;
  steam_id: string;
}

export interface DryRunReason { reason: RoleReason; role_id: string }

export interface DryRunRules {
  /** Powerful roles that the Owner would let rules hand out. */
  confirmed_roles?: Array<string>;
  rules: Array<WantedRule>;
}

export interface EditedKey {
  actions?: Array<string>;
  groups?: Array<string>;
  name: string;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
}

/** Links that ended, by cause. */
export interface EndedLinks {
  admin: number;
  plugin: number;
  /** One account was linked with another one instead. */
  relink: number;
  user: number;
  "zombie-cleanup": number;
}

export interface EndedUnlink {
  at_ms: number;
  /** Somebody cancelled it. Links that had ended stay ended. */
  cancelled: boolean;
  /** Links that it ended. */
  done: number;
  total: number;
}

/** Failures with one code at one route in one minute. */
export interface ErrorGroup {
  /** The minute in which they happened. */
  at_ms: number;
  code: string;
  count: number;
  /** For operators: what went wrong inside, if it was a failure of ours. */
  detail?: string | null;
  /** For operators: the organisation that it was about, if any. */
  org_id?: string | null;
  org_name?: string | null;
  /** The newest ones, at most 20. */
  request_ids: Array<string>;
  route: string;
  status: number;
}

export interface ErrorList {
  /** Every code there is, for choosing one. */
  codes: Array<string>;
  errors: Array<ErrorGroup>;
  /** What to ask for as `before` to go on; nothing at the end. */
  next_before?: string | null;
}

/** The words `sign out everyone`, typed by hand. */
export interface EveryonesEnd { confirm: string }

export interface FailedAttempts {
  /** An error code. */
  reason: string;
  times: number;
}

/** Where it is put right. */
export interface Fix {
  label: string;
  /** The page of the dashboard, below `/app`. */
  page: string;
}

export interface FlagList { flags: Array<FlagView> }
export interface FlagSwitch { on: boolean }

/** A part of the service that can be switched. */
export interface FlagView {
  /** What happens while it is off. */
  about: string;
  /** As long as nobody switches it. */
  default: boolean;
  name: string;
  on: boolean;
  set_at_ms?: number | null;
  set_by?: string | null;
  set_by_name?: string | null;
}

export interface GrantView {
  tier: Tier;
  /** Nothing for one without an end. */
  until_ms?: number | null;
}

export interface GraphAccount {
  /** It has an active link. */
  active: boolean;
  /** Nothing for an account whose owner had it erased. */
  id?: string | null;
  name?: string | null;
  /** On Steam; else on Discord. */
  steam: boolean;
}

export interface GraphLink {
  cause?: string | null;
  /** Places in the list of accounts. */
  discord: number;
  ended_at_ms?: number | null;
  guild_name: string;
  linked_at_ms: number;
  steam: number;
}

export type GroupClass = "owner" | "admin" | "moderator" | "staff" | "vip" | "donator" | "custom" | "default";

export interface GroupClassSettings {
  class: GroupClass;
  tone: PillTone;
  usual_tone: PillTone;
  /** What it counts of a hundred. */
  weight: number;
}

/** A group whose name holds the text is of the class. */
export interface GroupKeyword { class: GroupClass; text: string }

/** What is left out stays as it is; `null` switches log messages off, or takes the Steam group or the invite away. */
export interface GuildChange {
  booster_roles?: Array<string> | null;
  invite_url?: string | null;
  join_mode?: MembershipMode | null;
  log_channel_id?: string | null;
  name?: string | null;
  nickname_template?: string | null;
  plugin_roles?: Array<string> | null;
  relink_cooldown_ms?: number | null;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
  slug?: string | null;
  steam_group?: string | null;
  verified_roles?: Array<string> | null;
}

/** One thing that was checked. */
export interface GuildCheck { fix?: Fix | null; server?: CheckedServer | null; state: CheckState; text: string; topic: CheckTopic }

/** What linking, roles and messages of a Guild stand on, and how each of it is. */
export interface GuildCheckup {
  /** When the Discord server was last read; null for callers to whom nothing of it is told, and before the first time. */
  checked_at_ms?: number | null;
  /**
   * Those that the caller's permissions show, in the order of their topics; of Servers, Server by Server. There can be
   * several of one topic.
   */
  checks: Array<GuildCheck>;
  guild_id: string;
  /** It is being read anew: ask again in a moment. */
  looking: boolean;
  name: string;
  /** The worst of all checks. */
  state: CheckState;
}

export interface GuildChoice { id: string; name: string }

export interface GuildList {
  guilds: Array<GuildView>;
  /** Guilds that are gone already, and whose links are being archived. */
  removals: Array<RemovalProgress>;
}

/** What was last read of a Guild on Discord. What is null is not known. */
export interface GuildOnDiscord {
  /** Categories too, by position. */
  channels: Array<DiscordChannel>;
  /** When this was read. */
  checked_at_ms?: number | null;
  /** Whether Discord has registered the slash commands. */
  commands: boolean;
  /** Adds the bot, or the permissions that it lacks; null when it lacks none. */
  invite_url?: string | null;
  /** When the bot last heard of the Discord server. */
  last_event_at_ms?: number | null;
  log_problem?: LogTrouble | null;
  /** It is being read anew: ask again in a moment. */
  looking: boolean;
  /** Whether the bot is connected to Discord. While it is not, commands get no answer; log messages still arrive. */
  online: boolean;
  /** What the bot needs, by Discord's names, and whether it has it. */
  permissions: Array<HeldPermission>;
  /** Whether the bot is in the Discord server. */
  present?: boolean | null;
  /** The highest first. */
  roles: Array<DiscordRole>;
}

/** Why a Discord server is taken from the organisation that claimed it. */
export interface GuildRelease {
  /** The Discord server's ID, typed by hand. */
  confirm: string;
  /** Both audit logs have it. It names nobody. */
  reason: string;
}

/** The short name of what is removed, typed by hand. */
export interface GuildRemoval { confirm: string }

export interface GuildRow { discord_guild_id: string; id: string; links: number; name: string; slug: string }

export interface GuildView {
  active_links: number;
  discord_guild_id: string;
  id: string;
  name: string;
  /** Where its picture is. */
  picture?: string | null;
  slug: string;
}

export type GuildWithSettings = GuildView & {
  booster_roles: Array<string>;
  invite_url?: string | null;
  join_mode: MembershipMode;
  log_channel_id?: string | null;
  /** What nicknames of linked members follow; nothing leaves them alone. */
  nickname_template?: string | null;
  plugin_roles: Array<string>;
  relink_cooldown_ms: number;
  /** One more with every save. */
  revision: number;
  steam_group?: SteamGroup | null;
  verified_roles: Array<string>;
};

export interface HeldPermission { held: boolean; name: string }

/** A file of links that is taken over. */
export interface Import {
  columns_ignored: Array<string>;
  /** `field: column`. */
  columns_read: Array<string>;
  /** What would come of them after a dry run, and what came of them after the import. */
  counts: ImportCounts;
  /** How many of them were gone through. */
  done: number;
  ended_at_ms?: number | null;
  /** When its rows are forgotten; nothing when they are. */
  forgotten_at_ms?: number | null;
  guild_id: string;
  id: string;
  /** `dump`, `users` or `removed`. */
  kind: string;
  /** Details of rows that are left out, in words. */
  left_out: Array<string>;
  /** Whose players get the permission groups. */
  server_id?: string | null;
  started_at_ms: number;
  /** `reading`, `checking`, `checked`, `importing`, `done`, `cancelled` or `stopped`. */
  state: string;
  /** Why it stopped: `guild_removed`, `server_deleted`, `too_many_boosters`, `interrupted` or `expired`. */
  stop?: string | null;
  /** Rows of the file. */
  total: number;
}

export interface ImportCounts {
  boosters: number;
  /** Players whose permission groups are taken over. */
  groups: number;
  /** Ended links. */
  history: number;
  /** Linked like this already. */
  known: number;
  links: number;
  reasons: Array<ImportReason>;
  refused: number;
}

export interface ImportGuild { id: string; name: string; servers: Array<ImportServer> }

/** Where a row stands in the file. */
export interface ImportPlace {
  line: number;
  row: number;
  /** `users` or `removed`. */
  table: string;
}

export interface ImportReason { first: Array<ImportPlace>; reason: string; rows: number }
export interface ImportServer { id: string; name: string }

/** The newest imports, and where links can be imported to. */
export interface Imports {
  guilds: Array<ImportGuild>;
  /** The last one first. */
  imports: Array<Import>;
  /** The largest file that is taken. */
  most_bytes: number;
}

export type InviteExpiry = "1d" | "7d" | "30d" | "never";
export interface InviteList { invites: Array<InviteView> }

export interface InviteView {
  /** Whether the caller could have made it, and so may re-issue and revoke it. */
  can_edit: boolean;
  created_at_ms: number;
  created_by: string;
  expired: boolean;
  expires_at_ms?: number | null;
  id: string;
  note?: string | null;
  permissions: Array<string>;
  revoked: boolean;
  role: Role;
  /**
   * Nothing once it does not work any more, for callers who could not have made it, and when a request was a
   * repetition.
   */
  url?: string | null;
  uses: number;
}

export interface JobKindCount {
  /** Those whose last attempt failed. */
  failed: number;
  jobs: number;
  kind: string;
  oldest_at_ms: number;
}

export interface JobPage {
  jobs: Array<JobView>;
  /** Of all jobs, by their kind. */
  kinds: Array<JobKindCount>;
  /** Of all jobs, by the kind of lane that they are in. */
  lanes: Array<LaneCount>;
  next_after?: string | null;
}

/** How soon it happens. */
export interface JobTouched {
  /** Somebody is at it, and it happens after their step. */
  running: boolean;
}

/** Work that waits or is being done. */
export interface JobView {
  /** Failed ones since the last step that worked. */
  attempts: number;
  cancelled: boolean;
  created_at_ms: number;
  done: number;
  /** False for what finishes something that was begun. */
  droppable: boolean;
  kind: string;
  lane: string;
  last_error?: string | null;
  number: number;
  org_id?: string | null;
  run_at_ms: number;
  running: boolean;
  total: number;
}

export interface KeyView {
  id: string;
  last_used_at_ms?: number | null;
  prefix: string;
  /** Calls that sent the key in the address, which is a thing to put right. */
  query_calls: number;
  revoked: boolean;
  rotated_at_ms: number;
}

export interface LaneCount { jobs: number; kind: string }

/** Active links by country, as they were counted last. */
export interface LinkCountries {
  /** The day of that count; nothing before the first one. */
  as_of?: string | null;
  /** The most frequent first; at most 50. */
  list: Array<CountryOfLinks>;
  /** Links of countries that are not listed. */
  other: number;
  /** Links without a known country. */
  unknown: number;
}

/** How often each step of the link page was reached. */
export interface LinkFunnel {
  discord: number;
  /** Attempts that ended with an error; the most frequent first. */
  failed: Array<FailedAttempts>;
  joined: number;
  started: number;
  steam: number;
  verified: number;
}

/** The link page of a Guild. */
export interface LinkPage { accent: Accent; guild_id: string; name: string; slug: string }

export interface LinkPagePreview {
  /** A whole page. It needs no script, and nothing on it can be pressed. */
  html: string;
}

export interface LinksAfter {
  days: number;
  /** How many of them lasted so long; nothing while some cannot have. */
  left?: number | null;
}

/** What became of a test message. */
export interface LogTest {
  /**
   * Why not, for programs: `unknown_channel`, `other_server`, `no_access`, `no_permission`, `token_rejected`,
   * `refused` or `discord_unavailable`.
   */
  code?: string | null;
  /** For people, with what to do. */
  message: string;
  sent: boolean;
}

export interface LogTrouble { code: string; message: string; since_ms: number }
export interface MadeBlock { id: string }
export interface MadeKey { id: string; key?: string | null }
export interface MadeOperator { account_id: string }

/** The only time that the code is shown. */
export interface MadeRegistrationCode { code: string; id: string }

/** A new Server. */
export interface MadeServer {
  /** Its full key, for callers with `servers.keys`. Nothing when the request was a repetition. */
  key?: string | null;
  server_id: string;
}

export interface MaintenanceSwitch { message?: string | null; on: boolean }

/** Whether the dashboard is closed. */
export interface MaintenanceView {
  /** What people read in the meantime. */
  message?: string | null;
  on: boolean;
}

export interface Me {
  /** Whether plans can be bought here. */
  billing: boolean;
  discord_id: string;
  id: string;
  name: string;
  operator: boolean;
  orgs: Array<OrgSummary>;
  orgs_ceiling: number;
  orgs_owned: number;
  /** Where their picture is. */
  picture?: string | null;
  /** `open`, or `invite_only` while a new organisation needs a code. */
  registration: string;
  signed_in_at_ms: number;
  /** The running release of the service. */
  version: string;
}

export interface Member {
  account_id: string;
  /** Whether the caller may change or remove this member. */
  can_edit: boolean;
  discord_id: string;
  joined_at_ms: number;
  name: string;
  permissions: Array<string>;
  /** Where their picture is. */
  picture?: string | null;
  /** One more with every change of role or permissions. */
  revision: number;
  role: Role;
  you: boolean;
}

export interface MemberChange {
  permissions?: Array<string> | null;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
  role?: Role | null;
}

export type MembershipMode = "off" | "invite" | "auto";

export interface MonthOfLinks {
  after: Array<LinksAfter>;
  /** Links that began in this month. */
  linked: number;
  month: string;
}

export interface Navigation {
  ceiling: number;
  /** Where they are shown. */
  link_pages: Array<LinkPage>;
  links: Array<NavigationLink>;
  /** One more with every save of the buttons and colours. */
  revision: number;
}

/** All buttons in their order, and the colours of pages that get another one. */
export interface NavigationChange {
  accents?: Array<PageAccent>;
  links: Array<TypedNavigationLink>;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
}

export type NavigationIcon = "none" | "discord" | "steam" | "youtube" | "x" | "twitch" | "github" | "shop" | "forum" | "news" | "download" | "globe" | "external";
export interface NavigationLink { icon: NavigationIcon; label: string; new_tab: boolean; url: string }

export interface NewAnnouncementBody {
  /** Without it, it has no end. */
  ends_at_ms?: number | null;
  severity: AnnouncementSeverity;
  /** Without it, it is shown from now on. */
  starts_at_ms?: number | null;
  target: AnnouncementTarget;
  text: string;
}

export interface NewBlock {
  /** Without it, the block stays. */
  days?: number | null;
  /** `discord`, `steam` or `network`. */
  kind: string;
  /** For operators only. */
  reason: string;
  value: string;
}

export interface NewGuild { discord_guild_id: string; name?: string | null; slug: string }
export interface NewInvite { expires: InviteExpiry; note?: string | null; permissions: Array<string>; role: Role }
export interface NewKey { actions?: Array<string>; groups?: Array<string>; guild_id: string; name: string; server_id?: string | null }
export interface NewOperator { discord_id: string }
export interface NewOrg { invite_code?: string | null; name: string; slug: string }

export interface NewRegistrationCode {
  /** Without it, the code never expires. */
  days?: number | null;
  /** How many organisations it is good for. */
  max_uses?: number | null;
  note?: string;
}

export interface NewServer { guild_id: string; name: string }

export interface NewVisit {
  minutes?: number | null;
  /** The organisation reads it in its audit log. It names nobody. */
  reason: string;
  /** Allows more than looking. */
  write?: boolean;
}

export interface NodeCount { bots: number; node: string }
export interface OperatorList { operators: Array<OperatorView> }

/** Somebody who runs this installation, and why. */
export interface OperatorView {
  /** Nothing for somebody who never signed in. */
  account_id?: string | null;
  discord_id: string;
  granted: boolean;
  /** By the setting `operators`, which only a restart changes. */
  in_setting: boolean;
  name?: string | null;
  you: boolean;
}

/** What is left out stays as it is. */
export interface OrgChange {
  name?: string | null;
  refuse_query_keys?: boolean | null;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
}

export interface OrgOfAccount { id: string; name: string; role: Role; tier: Tier }
export interface OrgPage { next_after?: string | null; orgs: Array<OrgRow> }

/** An organisation with its Guilds. */
export type OrgPageOfOne = OrgRow & {
  guild_list: Array<GuildRow>;
  /** Besides the owner. */
  members: number;
  visit?: OwnVisit | null;
};

/** Who gets an organisation whose Owner lost their account. */
export interface OrgRecovery {
  account_id: string;
  /** The organisation's short name, typed by hand. */
  confirm: string;
  /** Both audit logs have it. It names nobody. */
  reason: string;
}

/** The short name of what is removed, typed by hand. */
export interface OrgRemoval { confirm: string }

/** An organisation as operators find it. */
export interface OrgRow {
  created_at_ms: number;
  guilds: number;
  id: string;
  links: number;
  name: string;
  owner: OwnerName;
  servers: number;
  slug: string;
  tier: Tier;
}

export interface OrgSummary {
  ceilings: Usage;
  id: string;
  name: string;
  permissions: Array<string>;
  role: Role;
  slug: string;
  tier: Tier;
  usage: Usage;
  visit?: VisitOfOrg | null;
}

export interface OrgView {
  ceilings: Usage;
  id: string;
  name: string;
  refuse_query_keys: boolean;
  /** One more with every save of the settings. */
  revision: number;
  slug: string;
  tier: Tier;
  usage: Usage;
}

export interface Overview {
  attention: Array<Attention>;
  ceilings: Usage;
  guilds: Array<GuildView>;
  /** Nothing for members who may not see links. */
  recent?: Array<RecentLink> | null;
  servers: Array<ServerView>;
  tier: Tier;
  usage: Usage;
}

/** The bot itself. Its token is never shown again. */
export interface OwnBot {
  discord_user_id: string;
  id: string;
  /** Adds it to the Discord server, or what it lacks there. */
  invite_url?: string | null;
  /** Of its process. */
  memory_bytes?: number | null;
  message: string;
  name: string;
  reason?: BotTrouble | null;
  restart_reason?: BotRestart | null;
  restarted_at_ms?: number | null;
  /** When it is tried again by itself. */
  retry_at_ms?: number | null;
  /** Whether it works in the Discord server now, and the shared bot does not. */
  serving: boolean;
  /** Of its process. */
  started_at_ms?: number | null;
  status: BotStatus;
  step?: BotStep | null;
  token_last4: string;
  token_saved_at_ms: number;
}

/** A visit of one's own. */
export interface OwnVisit {
  ends_at_ms: number;
  /** Whether more than looking is allowed. */
  write: boolean;
}

export interface OwnerName { account_id: string; name: string }

/** The colour of one link page. */
export interface PageAccent { accent: Accent; guild_id: string }

export type PayInterval = "month" | "year";
export type PillTone = "ok" | "info" | "warn" | "bad" | "neutral" | "accent";
export interface PlainCustomKey { id: string; key: string }

/** Which plan to buy. */
export interface PlanChoice {
  interval: PayInterval;
  /** `standard` or `pro`. */
  plan: Tier;
}

/** What a plan costs, in US cents, and what it allows. */
export interface PlanView {
  ceilings: Usage;
  custom_keys: boolean;
  month: number;
  /** Organisations that somebody can own whose best plan this is. */
  orgs: number;
  /** Requests a minute for each key. */
  per_minute: number;
  tier: Tier;
  year: number;
}

export interface PlayerGroup { class: GroupClass; name: string; tone: PillTone }

export interface PluginBuild {
  /** What the file is called. */
  file_name: string;
  /** Where this version stays. */
  path: string;
  published_at_ms: number;
  /** Of the file, in hex. */
  sha256: string;
  /** Of the file, in bytes. */
  size: number;
  version: string;
}

/** Builds that are offered, the latest first. */
export interface PluginBuilds { builds: Array<PluginBuild> }

/** The configuration file of a Server's plugin. */
export interface PluginFile {
  /** What is in it. The key is empty: it is revealed on its own. */
  content: Record<string, unknown>;
  /** What the file is called. */
  file_name: string;
}

/** A page at Stripe, where a customer changes what they pay for. */
export interface PortalView { url: string }

export type PreviewGuild = CleanupGuild & {
  /** Dormant links. */
  dormant: number;
};

/** A link page as somebody would like it to be, saved or not. */
export interface PreviewRequest { accent: Accent; buttons: Array<DraftButton>; guild_id: string; theme: PreviewTheme }

export type PreviewTheme = "light" | "dark";

export interface PreviewUser {
  discord_id: string;
  discord_name?: string | null;
  flagged_at_ms?: number | null;
  guild_id: string;
  /** The newest sign of them: seen on a game server, verified, imported, or kept by the team. */
  last_active_ms: number;
  steam_id?: string | null;
  steam_name?: string | null;
}

export interface PublishedBuild {
  /** False for one that was published with the same content before. */
  new: boolean;
  version: string;
}

export interface RecentLink {
  at_ms: number;
  cause?: string | null;
  country?: string | null;
  discord_id: string;
  discord_name?: string | null;
  guild_id: string;
  /** False when a link ended; the cause says why. */
  linked: boolean;
  steam_id: string;
  steam_name?: string | null;
}

export interface RefusedCall {
  calls: number;
  /** What the calls were answered with. */
  code: string;
  key_id: string;
  /** The beginning of the hour of the last one. */
  last_hour_at_ms: number;
}

/** Plugin calls that were refused in the last 24 hours. */
export interface RefusedCalls {
  /** Key by key, of each those that happened most often first. */
  refused: Array<RefusedCall>;
}

export interface RegistrationCodeView {
  created_at_ms: number;
  expires_at_ms?: number | null;
  id: string;
  max_uses: number;
  note: string;
  revoked_at_ms?: number | null;
  /** `usable`, `used_up`, `expired` or `revoked`. */
  state: string;
  uses: number;
}

export interface RegistrationMode {
  /** `open` or `invite_only`. */
  mode: string;
}

/** Who may make an organisation. */
export interface RegistrationView {
  codes: Array<RegistrationCodeView>;
  /** `open`, or `invite_only` while a new organisation needs a code. */
  mode: string;
  next_after?: string | null;
}

/** How far the removal of a Guild is. */
export interface RemovalProgress { links: number; links_ended: number; name: string }

/** The full key. Answers that carry it are never stored by anyone in between. */
export interface RevealedKey { key: string; server_id: string }

export type Role = "staff" | "admin" | "owner";
export type RoleCause = "link" | "unlink" | "relink" | "joined" | "left" | "changed" | "report" | "plugin" | "settings" | "sweep" | "recheck" | "sync" | "blocked";
export type RoleChangeKind = "add" | "remove";

/** A role that a rule may name. */
export interface RoleChoice {
  colour: number;
  /** A powerful one that the Owner lets rules hand out. */
  confirmed: boolean;
  id: string;
  name: string;
  position: number;
  reason?: RoleReason | null;
}

export interface RoleDefaults { permissions: Array<string>; role: Role }
export type RoleDirection = "to_discord" | "to_game" | "both";
export interface RoleGuild { id: string; name: string; servers: Array<RoleServer> }

/** Changes of roles and groups, the newest first. */
export interface RoleHistory {
  entries: Array<RoleHistoryEntry>;
  /** What to ask for as `cursor` to go on; nothing at the end. */
  next?: string | null;
}

export interface RoleHistoryEntry {
  after?: boolean | null;
  at_ms: number;
  before?: boolean | null;
  cause: RoleCause;
  change: RoleChangeKind;
  /** Nothing where the account was erased. */
  discord_id?: string | null;
  /** What they were called, where that is known. */
  discord_name?: string | null;
  group?: string | null;
  id: string;
  /** Why it could not be done. */
  reason?: string | null;
  result: RoleOutcome;
  role_id?: string | null;
  /** What it is called, where that is known. */
  role_name?: string | null;
  /** The rule in words, as it was then. */
  rule?: string | null;
  server_id?: string | null;
  server_name?: string | null;
  side: RoleSide;
  source: RoleSource;
  /** Nothing where the account was erased. */
  steam_id?: string | null;
  steam_name?: string | null;
}

export type RoleLoss = "remove" | "keep";
export type RoleOutcome = "done" | "waiting" | "cannot" | "gone";

/** The Guilds of an organisation, and the rules of their Servers. */
export interface RolePlaces { guilds: Array<RoleGuild> }

export type RoleReason = "managed" | "above_bot" | "no_permission" | "powerful" | "gone";

/** How far a look at everybody is. */
export interface RoleRecheck {
  running?: RunningRecheck | null;
  /** Members who wait for their look. */
  waiting: number;
}

export interface RoleRule { authority: RoleSide; direction: RoleDirection; group: string; id: string; on_loss: RoleLoss; role_id: string }

/** The rules of a Server, and what they can be made of. */
export interface RoleRules {
  checked_at_ms?: number | null;
  /** Groups that the plugin reported. */
  groups: Array<string>;
  guild_id: string;
  most_rules: number;
  /** Whether the bot is in the Discord server; nothing before the first look. */
  present?: boolean | null;
  /** One more with every save. */
  revision: number;
  /** All roles of the Discord server. */
  roles: Array<RoleChoice>;
  rules: Array<RoleRule>;
}

export interface RoleRulesChange {
  /** Powerful roles that the Owner lets rules hand out from now on. */
  confirmed_roles?: Array<string>;
  /** As it was read. A save by somebody else since then refuses this one. */
  revision: number;
  /** All of them, in their order. */
  rules: Array<WantedRule>;
}

export interface RoleServer {
  active: boolean;
  id: string;
  name: string;
  /** How many it has. */
  rules: number;
}

export type RoleSide = "discord" | "game";
export type RoleSource = "rule" | "verified" | "booster" | "grant" | "nickname" | "end";
export interface RunnerOverview { bots: Array<RunningBot>; nodes: Array<NodeCount>; states: Array<StateCount> }

/** A bot and what was last heard of it. */
export interface RunningBot {
  failure?: string | null;
  guild_id?: string | null;
  guilds: number;
  heard_at_ms?: number | null;
  /** A Guild's own that the service runs. */
  hosted: boolean;
  /** Its Discord ID; `platform` for the shared bot. */
  id: string;
  memory_bytes: number;
  /** Which node runs it. */
  node?: string | null;
  online_at_ms?: number | null;
  reason?: string | null;
  /** What its process said; nothing before it said anything. */
  state?: string | null;
  /** How far it is with being set up. */
  step?: string | null;
}

export interface RunningRecheck { done: number; started_at_ms: number; total: number }

export interface RunningUnlink {
  /** Links that ended. */
  done: number;
  started_at_ms: number;
  total: number;
}

/** What is left out stays as it is. */
export interface ServerChange {
  active?: boolean | null;
  bare_ids?: boolean | null;
  booster_group?: string | null;
  linked_group?: string | null;
  name?: string | null;
  poll_seconds?: number | null;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
  steam_members_group?: string | null;
}

export interface ServerChoice { guild_id: string; id: string; name: string }
export interface ServerList { servers: Array<ServerView> }

/** What a Server knows of somebody. */
export interface ServerPresence {
  /** Without those that the plugin gives by itself. Nothing where it never reported any. */
  groups?: Array<PlayerGroup> | null;
  guild_id: string;
  guild_name: string;
  reported_at_ms?: number | null;
  seen_at_ms?: number | null;
  server_id: string;
  server_name: string;
}

/** A Server as the dashboard sees it. Of its key only what may be shown to anyone with `servers.view`. */
export interface ServerView {
  active: boolean;
  bare_ids: boolean;
  booster_group: string;
  /** The file of the plugin was made from other settings than those of now. */
  config_is_old: boolean;
  created_at_ms: number;
  guild_id: string;
  id: string;
  key: KeyView;
  last_call_at_ms?: number | null;
  linked_group: string;
  name: string;
  /** The version to install, where the plugin is older than it or was withdrawn. */
  plugin_update?: string | null;
  /** As the plugin last said. */
  plugin_version?: string | null;
  poll_seconds: number;
  /** One more with every save of the settings; switching it on or off is none. */
  revision: number;
  /** It called before, and not for more than a day. */
  silent: boolean;
  steam_members_group: string;
}

/** How many browsers are signed in. */
export interface SessionCounts {
  /** Of those, the ones that nobody used for `idle_days`. */
  idle: number;
  idle_days: number;
  living: number;
}

export interface SessionList { sessions: Array<SessionView> }

export interface SessionView {
  created_at_ms: number;
  /** The one that asks. */
  current: boolean;
  device?: string | null;
  expires_at_ms: number;
  id: string;
  seen_at_ms: number;
}

export type Severity = "bad" | "warn" | "info";

export interface SharedBot {
  /** Adds it. */
  invite_url?: string | null;
  /** Whether it is in the Discord server; null when that is not known. */
  present?: boolean | null;
  serving: boolean;
}

/** The same as people read it. */
export interface ShownAnnouncement { ends_at_ms?: number | null; id: string; severity: AnnouncementSeverity; starts_at_ms: number; text: string }

export interface ShownAnnouncements { announcements: Array<ShownAnnouncement> }
export interface StateCount { bots: number; state: string }

/** The number is text like every id, though it would fit. */
export interface SteamGroup { id: string; pasted: string }

export type SubscriptionStatus = "incomplete" | "incomplete_expired" | "trialing" | "active" | "past_due" | "unpaid" | "paused" | "canceled" | "unknown";

/** Something that is paid for. */
export interface SubscriptionView {
  /** Whether it buys a Custom Bot. */
  bot: boolean;
  /** Who began to buy it. */
  bought_by?: string | null;
  /** Whether what it buys is had. */
  counts: boolean;
  /** When it ends, where that is when its period is over. */
  ends_at_ms?: number | null;
  guild_id?: string | null;
  guild_name?: string | null;
  id: string;
  interval?: PayInterval | null;
  /** When it is paid for next; nothing where it ends. */
  renews_at_ms?: number | null;
  started_at_ms: number;
  status: SubscriptionStatus;
  tier?: Tier | null;
}

export interface Team {
  areas: Array<Area>;
  defaults: Array<RoleDefaults>;
  /** What the caller holds and can hand out. */
  grantable: Array<string>;
  members: Array<Member>;
}

export type Tier = "free" | "standard" | "pro";
export interface TierMove { from: TrustTier; people: number; to: TrustTier }

/** The least score of each tier; below the last it is Risk. */
export interface TierThresholds { normal: number; trusted: number; watch: number }

export interface Transfer {
  account_id: string;
  /** The organisation's short name, typed by hand. */
  confirm: string;
}

/** Keywords and colours as somebody wants them. */
export interface TrustChange {
  /** At most 50, in the order in which they are tried. */
  keywords: Array<GroupKeyword>;
  /** As it was read. A save by somebody else since then refuses this one; without it, the last one counts. */
  revision?: number | null;
  /** Colours by class; a class that is left out has its usual one. */
  tones?: Array<ClassTone>;
}

/** Somebody's scores over time. A score holds until the next point. */
export interface TrustHistory {
  days: number;
  /** The oldest first. The first can be from before the time that was asked for: it tells what held at its beginning. */
  points: Array<TrustPoint>;
  since_ms: number;
  thresholds: TierThresholds;
}

/** A Trust Score with its parts, each from 0 to 100. */
export interface TrustParts {
  /** Counts 20 of 100. */
  age: number;
  /** Counts 25 of 100. */
  cross_server: number;
  /** Counts 20 of 100. */
  multi: number;
  score: number;
  /** Counts 35 of 100. */
  stability: number;
  tier: TrustTier;
}

export type TrustPoint = TrustParts & { at_ms: number };

/** Keywords and colours, the organisation's own and the usual ones. */
export interface TrustSettings {
  /** Every class, the weightiest first. */
  classes: Array<GroupClassSettings>;
  /** The organisation's own, in the order in which they are tried, before the usual ones. */
  keywords: Array<GroupKeyword>;
  /** One more with every save. */
  revision: number;
  thresholds: TierThresholds;
  /** The usual ones that are tried after them. */
  usual_keywords: Array<GroupKeyword>;
}

/** What the settings would do to people with an active link. */
export interface TrustSimulation {
  /** Whose tier would change. */
  moved: number;
  moves: Array<TierMove>;
  people: number;
  /** Whose score would change. */
  rescored: number;
}

export type TrustTier = "Trusted" | "Normal" | "Watch" | "Risk";
export interface TypedNavigationLink { icon?: NavigationIcon; label: string; new_tab?: boolean; url: string }
export type UnlinkCause = "user" | "admin" | "plugin" | "relink" | "zombie-cleanup";

/** Where links end. */
export interface UnlinkWhere {
  /** Only there; without it, in every Guild of the organisation. */
  guild_id?: string | null;
}

/** How many links ended. */
export interface Unlinked { links: number }

/** How much there is, and how much the plan allows. */
export interface Usage { guilds: number; links: number; navigation_links: number; servers: number }

/** Somebody who is or was linked. Where a Guild or Server is asked for, the link is the one there. */
export interface User {
  /** In all Guilds. */
  active_links: number;
  best_class: GroupClass;
  booster: boolean;
  country?: string | null;
  discord_id: string;
  discord_name?: string | null;
  /** Nothing while the link is active. */
  ended_at_ms?: number | null;
  /** Since when they are flagged as dormant; nothing where they are not. */
  flagged_at_ms?: number | null;
  guild_id: string;
  linked_at_ms: number;
  score: number;
  /** Servers they were seen or reported on. */
  server_ids: Array<string>;
  /** A game server has them in a group of its staff. */
  staff: boolean;
  /** Steam accounts they ever linked. */
  steam_accounts: number;
  /** Of the newest active link, or of the newest one. */
  steam_id?: string | null;
  steam_name?: string | null;
  tier: TrustTier;
}

/** What people can be filtered by. */
export interface UserChoices {
  /** Two letters each. */
  countries: Array<string>;
  guilds: Array<GuildChoice>;
  servers: Array<ServerChoice>;
  thresholds: TierThresholds;
}

/** What can be asked for; the same everywhere. */
export interface UserFilter {
  country?: string;
  guild_id?: string;
  /** An id of either platform, a mention, the address of a profile, or the beginning of a word of either name. */
  q?: string;
  server_id?: string;
  /** `active`, `archived` or `flagged`, which is active too. */
  status?: string;
  tier?: string;
}

/** Accounts of both platforms, and the links that join them. */
export interface UserGraph {
  /** The one that was asked for comes first; at most 400. */
  accounts: Array<GraphAccount>;
  /** There are more than are listed. */
  cut: boolean;
  /** At most 1,000. */
  links: Array<GraphLink>;
}

/** A link of somebody, active or ended. */
export interface UserLink {
  cause?: UnlinkCause | null;
  country?: string | null;
  discord_name?: string | null;
  ended_at_ms?: number | null;
  /** Since when it is flagged as dormant. */
  flagged_at_ms?: number | null;
  /** The Guild was removed from this organisation. */
  guild_gone: boolean;
  guild_id: string;
  guild_name: string;
  id: string;
  linked_at_ms: number;
  /** Nothing where that account's owner had it erased. */
  steam_id?: string | null;
  steam_name?: string | null;
  verified_at_ms: number;
}

/** A page of people. */
export interface UserList {
  /** False for a while after an upgrade, until everybody is in the list. */
  complete: boolean;
  /**
   * What to ask for as `cursor` to go on; nothing at the end. Where few fit among many, a page can be short, or empty, and
   * still not be the last.
   */
  next?: string | null;
  users: Array<User>;
}

/** Everything about somebody. */
export interface UserPage {
  first_linked_at_ms: number;
  /** Active ones first, then the newest; at most 200. */
  links: Array<UserLink>;
  /** There are more links than are listed. */
  links_cut: boolean;
  presence: Array<ServerPresence>;
  trust: UserTrust;
  user: User;
}

/** A Trust Score, what it is made of, and why. */
export type UserTrust = TrustParts & {
  /**
   * Accounts of both platforms that hang together with theirs. Each beyond two takes 30 points off; nobody counts
   * beyond 50.
   */
  accounts: number;
  /** Links that they, a plugin or a relink ended. Each takes 18 points off stability. */
  churn: number;
  scored_at_ms: number;
  thresholds: TierThresholds;
};

export interface VisitList { visits: Array<VisitView> }

/** An operator's visit that goes on. */
export interface VisitOfOrg {
  ends_at_ms: number;
  /** Whether more than looking is allowed. */
  write: boolean;
}

/** A visit that goes on. */
export interface VisitView {
  account_id: string;
  account_name: string;
  began_at_ms: number;
  ends_at_ms: number;
  org_id: string;
  org_name: string;
  reason: string;
  write: boolean;
  yours: boolean;
}

export interface WantedRule {
  authority: RoleSide;
  direction: RoleDirection;
  group: string;
  /** Of a rule that stays; a new one has none. */
  id?: string | null;
  on_loss: RoleLoss;
  role_id: string;
}
