// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.

import type {
  AccountPage,
  AccountPageOfOne,
  AccountRemoval,
  AnalyticsNumbers,
  AnnouncementEdit,
  AnnouncementPage,
  AnnouncementView,
  AttentionList,
  AuditCheck,
  AuditChoices,
  AuditList,
  BegunVisit,
  BillingView,
  BlockPage,
  BotToken,
  BuildPage,
  BulkUnlink,
  BulkUnlinkChoice,
  BulkUnlinkStarted,
  CandidateList,
  CheckoutView,
  CleanupChange,
  CleanupKeep,
  CleanupKept,
  CleanupPreview,
  CleanupSettings,
  CreatedOrg,
  CustomBot,
  CustomKeyList,
  DryRun,
  DryRunRules,
  EditedKey,
  ErrorList,
  EveryonesEnd,
  FlagList,
  FlagSwitch,
  GuildChange,
  GuildCheckup,
  GuildList,
  GuildOnDiscord,
  GuildRelease,
  GuildRemoval,
  GuildView,
  GuildWithSettings,
  Import,
  Imports,
  InviteList,
  InviteView,
  JobPage,
  JobTouched,
  LinkPagePreview,
  LogTest,
  MadeBlock,
  MadeKey,
  MadeOperator,
  MadeRegistrationCode,
  MadeServer,
  MaintenanceSwitch,
  MaintenanceView,
  Me,
  MemberChange,
  Navigation,
  NavigationChange,
  NewAnnouncementBody,
  NewBlock,
  NewGuild,
  NewInvite,
  NewKey,
  NewOperator,
  NewOrg,
  NewRegistrationCode,
  NewServer,
  NewVisit,
  OperatorList,
  OrgChange,
  OrgPage,
  OrgPageOfOne,
  OrgRecovery,
  OrgRemoval,
  OrgView,
  Overview,
  PlainCustomKey,
  PlanChoice,
  PluginBuilds,
  PluginFile,
  PortalView,
  PreviewRequest,
  PublishedBuild,
  RefusedCalls,
  RegistrationMode,
  RegistrationView,
  RevealedKey,
  RoleHistory,
  RolePlaces,
  RoleRecheck,
  RoleRules,
  RoleRulesChange,
  RunnerOverview,
  ServerChange,
  ServerList,
  ServerView,
  SessionCounts,
  SessionList,
  ShownAnnouncements,
  Team,
  Transfer,
  TrustChange,
  TrustHistory,
  TrustSettings,
  TrustSimulation,
  UnlinkWhere,
  Unlinked,
  UserChoices,
  UserGraph,
  UserList,
  UserPage,
  VisitList,
} from './schema';

export interface Operations {
  /** Who is signed in */
  'GET /account': { path: {}; query: {}; body: undefined; answer: Me };
  /** Delete one's dashboard account */
  'DELETE /account': { path: {}; query: {}; body: AccountRemoval; answer: undefined };
  /** Leave an organisation */
  'DELETE /account/memberships/{org}': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** List one's sessions */
  'GET /account/sessions': { path: {}; query: {}; body: undefined; answer: SessionList };
  /** End all other sessions */
  'DELETE /account/sessions': { path: {}; query: {}; body: undefined; answer: undefined };
  /** End a session */
  'DELETE /account/sessions/{session}': { path: { session: string }; query: {}; body: undefined; answer: undefined };
  /** End this session */
  'POST /account/sign-out': { path: {}; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/accounts': { path: {}; query: { q?: string; after?: string; limit?: number }; body: undefined; answer: AccountPage };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/accounts/{account}': { path: { account: string }; query: {}; body: undefined; answer: AccountPageOfOne };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/announcements': { path: {}; query: { after?: string; limit?: number }; body: undefined; answer: AnnouncementPage };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/announcements': { path: {}; query: {}; body: NewAnnouncementBody; answer: AnnouncementView };
  /** Operators only; for everyone else it does not exist. */
  'PATCH /admin/announcements/{announcement}': { path: { announcement: string }; query: {}; body: AnnouncementEdit; answer: AnnouncementView };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/announcements/{announcement}': { path: { announcement: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/announcements/{announcement}/end': { path: { announcement: string }; query: {}; body: undefined; answer: AnnouncementView };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/attention': { path: {}; query: {}; body: undefined; answer: AttentionList };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/audit': { path: {}; query: { action?: string; actor?: string; target?: string; from_ms?: number; to_ms?: number; before?: number; limit?: number }; body: undefined; answer: AuditList };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/audit/verify': { path: {}; query: { org?: string }; body: undefined; answer: AuditCheck };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/blocks': { path: {}; query: { kind?: "discord" | "steam" | "network"; q?: string; after?: string; limit?: number }; body: undefined; answer: BlockPage };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/blocks': { path: {}; query: {}; body: NewBlock; answer: MadeBlock };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/blocks/{block}': { path: { block: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/errors': { path: {}; query: { code?: string; route?: string; status?: "4xx" | "5xx" | "faults"; org?: string; request_id?: string; from_ms?: number; to_ms?: number; before?: string; limit?: number }; body: undefined; answer: ErrorList };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/flags': { path: {}; query: {}; body: undefined; answer: FlagList };
  /** Operators only; for everyone else it does not exist. */
  'PUT /admin/flags/{flag}': { path: { flag: string }; query: {}; body: FlagSwitch; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/guilds/{guild}/release': { path: { guild: string }; query: {}; body: GuildRelease; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/jobs': { path: {}; query: { state?: "failed" | "running" | "waiting"; kind?: string; after?: string; limit?: number }; body: undefined; answer: JobPage };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/jobs/{job}': { path: { job: string }; query: {}; body: undefined; answer: JobTouched };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/jobs/{job}/retry': { path: { job: string }; query: {}; body: undefined; answer: JobTouched };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/maintenance': { path: {}; query: {}; body: undefined; answer: MaintenanceView };
  /** Operators only; for everyone else it does not exist. */
  'PUT /admin/maintenance': { path: {}; query: {}; body: MaintenanceSwitch; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/operators': { path: {}; query: {}; body: undefined; answer: OperatorList };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/operators': { path: {}; query: {}; body: NewOperator; answer: MadeOperator };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/operators/{account}': { path: { account: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/orgs': { path: {}; query: { q?: string; after?: string; limit?: number }; body: undefined; answer: OrgPage };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/orgs/{org}': { path: { org: string }; query: {}; body: undefined; answer: OrgPageOfOne };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/orgs/{org}/transfer': { path: { org: string }; query: {}; body: OrgRecovery; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/orgs/{org}/visit': { path: { org: string }; query: {}; body: NewVisit; answer: BegunVisit };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/orgs/{org}/visit': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'DELETE /admin/orgs/{org}/visits/{account}': { path: { org: string; account: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/plugin-builds': { path: {}; query: {}; body: undefined; answer: BuildPage };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/plugin-builds': { path: {}; query: { version?: string; file_name?: string }; body: undefined; answer: PublishedBuild };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/plugin-builds/{version}/restore': { path: { version: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/plugin-builds/{version}/withdraw': { path: { version: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/registration': { path: {}; query: { after?: string; limit?: number }; body: undefined; answer: RegistrationView };
  /** Operators only; for everyone else it does not exist. */
  'PUT /admin/registration': { path: {}; query: {}; body: RegistrationMode; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/registration/codes': { path: {}; query: {}; body: NewRegistrationCode; answer: MadeRegistrationCode };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/registration/codes/{registration}/revoke': { path: { registration: string }; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/runners': { path: {}; query: {}; body: undefined; answer: RunnerOverview };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/sessions': { path: {}; query: {}; body: undefined; answer: SessionCounts };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/sessions/drop-idle': { path: {}; query: {}; body: undefined; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'POST /admin/sessions/end-all': { path: {}; query: {}; body: EveryonesEnd; answer: undefined };
  /** Operators only; for everyone else it does not exist. */
  'GET /admin/visits': { path: {}; query: {}; body: undefined; answer: VisitList };
  /** List announcements for everybody */
  'GET /announcements': { path: {}; query: {}; body: undefined; answer: ShownAnnouncements };
  /** Dismiss an announcement */
  'POST /announcements/{announcement}/dismiss': { path: { announcement: string }; query: {}; body: undefined; answer: undefined };
  /** Make an organisation */
  'POST /orgs': { path: {}; query: {}; body: NewOrg; answer: CreatedOrg };
  /** Only the Owner of the organisation. */
  'DELETE /orgs/{org}': { path: { org: string }; query: {}; body: OrgRemoval; answer: undefined };
  /** Needs the permission `analytics.view` in the organisation. */
  'GET /orgs/{org}/analytics': { path: { org: string }; query: { from?: string; to?: string; guild_id?: string }; body: undefined; answer: AnalyticsNumbers };
  /** Needs the permission `analytics.export` in the organisation. */
  'GET /orgs/{org}/analytics/export': { path: { org: string }; query: { from?: string; to?: string; guild_id?: string; table?: "days" | "tiers" | "countries" | "steps" | "retention"; format?: "csv" | "json" }; body: undefined; answer: undefined };
  /** List announcements for the organisation */
  'GET /orgs/{org}/announcements': { path: { org: string }; query: {}; body: undefined; answer: ShownAnnouncements };
  /** Needs the permission `audit.view` in the organisation. */
  'GET /orgs/{org}/audit': { path: { org: string }; query: { action?: string; actor?: string; target?: string; from_ms?: number; to_ms?: number; before?: number; limit?: number }; body: undefined; answer: AuditList };
  /** Needs the permission `audit.view` in the organisation. */
  'GET /orgs/{org}/audit/choices': { path: { org: string }; query: {}; body: undefined; answer: AuditChoices };
  /** Needs the permission `audit.export` in the organisation. */
  'GET /orgs/{org}/audit/export': { path: { org: string }; query: { action?: string; actor?: string; target?: string; from_ms?: number; to_ms?: number; before?: number; format?: "csv" | "json" }; body: undefined; answer: undefined };
  /** Needs the permission `org.billing` in the organisation. */
  'POST /orgs/{org}/billing/plan/checkout': { path: { org: string }; query: {}; body: PlanChoice; answer: CheckoutView };
  /** Needs the permission `org.billing` in the organisation. */
  'POST /orgs/{org}/billing/portal': { path: { org: string }; query: {}; body: undefined; answer: PortalView };
  /** Needs the permission `org.billing` in the organisation. */
  'POST /orgs/{org}/billing/refresh': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `org.billing` in the organisation. */
  'GET /orgs/{org}/billing/subscriptions': { path: { org: string }; query: {}; body: undefined; answer: BillingView };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/claimable-guilds': { path: { org: string }; query: {}; body: undefined; answer: CandidateList };
  /** Needs the permission `links.cleanup` in the organisation. */
  'GET /orgs/{org}/cleanup': { path: { org: string }; query: {}; body: undefined; answer: CleanupSettings };
  /** Needs the permission `links.cleanup` in the organisation. */
  'PUT /orgs/{org}/cleanup': { path: { org: string }; query: {}; body: CleanupChange; answer: CleanupSettings };
  /** Needs the permission `links.cleanup` in the organisation. */
  'POST /orgs/{org}/cleanup/keep': { path: { org: string }; query: {}; body: CleanupKeep; answer: CleanupKept };
  /** Needs the permission `links.cleanup` in the organisation. */
  'GET /orgs/{org}/cleanup/preview': { path: { org: string }; query: { days?: number }; body: undefined; answer: CleanupPreview };
  /** Needs the permission `links.cleanup` in the organisation. */
  'POST /orgs/{org}/cleanup/run': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `audit.view` in the organisation. */
  'GET /orgs/{org}/errors': { path: { org: string }; query: { code?: string; route?: string; status?: "4xx" | "5xx" | "faults"; from_ms?: number; to_ms?: number; before?: string; limit?: number }; body: undefined; answer: ErrorList };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/guilds': { path: { org: string }; query: {}; body: undefined; answer: GuildList };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/guilds': { path: { org: string }; query: {}; body: NewGuild; answer: GuildView };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: undefined; answer: GuildWithSettings };
  /** Needs the permission `org.settings` in the organisation. */
  'PATCH /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: GuildChange; answer: undefined };
  /** Needs the permission `org.settings` in the organisation. */
  'DELETE /orgs/{org}/guilds/{guild}': { path: { org: string; guild: string }; query: {}; body: GuildRemoval; answer: undefined };
  /** Needs the permission `org.billing` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/billing/checkout': { path: { org: string; guild: string }; query: {}; body: undefined; answer: CheckoutView };
  /** Needs the permission `servers.bots` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}/bot': { path: { org: string; guild: string }; query: {}; body: undefined; answer: CustomBot };
  /** Needs the permission `servers.bots` in the organisation. */
  'DELETE /orgs/{org}/guilds/{guild}/bot': { path: { org: string; guild: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `servers.bots` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/bot/retry': { path: { org: string; guild: string }; query: {}; body: undefined; answer: CustomBot };
  /** Needs the permission `servers.bots` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/bot/token': { path: { org: string; guild: string }; query: {}; body: BotToken; answer: CustomBot };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}/checkup': { path: { org: string; guild: string }; query: {}; body: undefined; answer: GuildCheckup };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}/discord': { path: { org: string; guild: string }; query: {}; body: undefined; answer: GuildOnDiscord };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/discord': { path: { org: string; guild: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/log-test': { path: { org: string; guild: string }; query: {}; body: undefined; answer: LogTest };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}/role-history': { path: { org: string; guild: string }; query: { member?: string; cursor?: string }; body: undefined; answer: RoleHistory };
  /** Needs the permission `servers.roles` in the organisation. */
  'GET /orgs/{org}/guilds/{guild}/role-recheck': { path: { org: string; guild: string }; query: {}; body: undefined; answer: RoleRecheck };
  /** Needs the permission `servers.roles` in the organisation. */
  'POST /orgs/{org}/guilds/{guild}/role-recheck': { path: { org: string; guild: string }; query: {}; body: undefined; answer: RoleRecheck };
  /** Needs the permission `servers.roles` in the organisation. */
  'DELETE /orgs/{org}/guilds/{guild}/role-recheck': { path: { org: string; guild: string }; query: {}; body: undefined; answer: RoleRecheck };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/imports': { path: { org: string }; query: {}; body: undefined; answer: Imports };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/imports': { path: { org: string }; query: { guild_id?: string; kind?: "dump" | "users" | "removed"; server_id?: string; utc_offset?: string }; body: undefined; answer: Import };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/imports/{import}': { path: { org: string; import: string }; query: {}; body: undefined; answer: Import };
  /** Needs the permission `org.settings` in the organisation. */
  'DELETE /orgs/{org}/imports/{import}': { path: { org: string; import: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/imports/{import}/cancel': { path: { org: string; import: string }; query: {}; body: undefined; answer: Import };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/imports/{import}/refused': { path: { org: string; import: string }; query: { format?: "csv" | "json" }; body: undefined; answer: undefined };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/imports/{import}/start': { path: { org: string; import: string }; query: {}; body: undefined; answer: Import };
  /** Needs the permission `org.invites` in the organisation. */
  'GET /orgs/{org}/invites': { path: { org: string }; query: {}; body: undefined; answer: InviteList };
  /** Needs the permission `org.invites` in the organisation. */
  'POST /orgs/{org}/invites': { path: { org: string }; query: {}; body: NewInvite; answer: InviteView };
  /** Needs the permission `org.invites` in the organisation. */
  'POST /orgs/{org}/invites/{invite}/reissue': { path: { org: string; invite: string }; query: {}; body: undefined; answer: InviteView };
  /** Needs the permission `org.invites` in the organisation. */
  'POST /orgs/{org}/invites/{invite}/revoke': { path: { org: string; invite: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `servers.keys` in the organisation. */
  'GET /orgs/{org}/keys': { path: { org: string }; query: {}; body: undefined; answer: CustomKeyList };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/keys': { path: { org: string }; query: {}; body: NewKey; answer: MadeKey };
  /** Needs the permission `servers.keys` in the organisation. */
  'PUT /orgs/{org}/keys/{key}': { path: { org: string; key: string }; query: {}; body: EditedKey; answer: undefined };
  /** Needs the permission `servers.keys` in the organisation. */
  'DELETE /orgs/{org}/keys/{key}': { path: { org: string; key: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/keys/{key}/reveal': { path: { org: string; key: string }; query: {}; body: undefined; answer: PlainCustomKey };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/keys/{key}/revoke': { path: { org: string; key: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `org.navigation` in the organisation. */
  'GET /orgs/{org}/navigation': { path: { org: string }; query: {}; body: undefined; answer: Navigation };
  /** Needs the permission `org.navigation` in the organisation. */
  'PUT /orgs/{org}/navigation': { path: { org: string }; query: {}; body: NavigationChange; answer: Navigation };
  /** Needs the permission `org.navigation` in the organisation. */
  'POST /orgs/{org}/navigation/preview': { path: { org: string }; query: {}; body: PreviewRequest; answer: LinkPagePreview };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/overview': { path: { org: string }; query: {}; body: undefined; answer: Overview };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/plugin': { path: { org: string }; query: {}; body: undefined; answer: PluginBuilds };
  /** Needs the permission `servers.keys` in the organisation. */
  'GET /orgs/{org}/refused-calls': { path: { org: string }; query: {}; body: undefined; answer: RefusedCalls };
  /** Needs the permission `servers.roles` in the organisation. */
  'GET /orgs/{org}/roles': { path: { org: string }; query: {}; body: undefined; answer: RolePlaces };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/servers': { path: { org: string }; query: {}; body: undefined; answer: ServerList };
  /** Needs the permission `servers.manage` in the organisation. */
  'POST /orgs/{org}/servers': { path: { org: string }; query: {}; body: NewServer; answer: MadeServer };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: undefined; answer: ServerView };
  /** Needs the permission `servers.manage` in the organisation. */
  'PATCH /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: ServerChange; answer: undefined };
  /** Needs the permission `servers.manage` in the organisation. */
  'DELETE /orgs/{org}/servers/{server}': { path: { org: string; server: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/servers/{server}/key/regenerate': { path: { org: string; server: string }; query: {}; body: undefined; answer: RevealedKey };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/servers/{server}/key/reveal': { path: { org: string; server: string }; query: {}; body: undefined; answer: RevealedKey };
  /** Needs the permission `servers.keys` in the organisation. */
  'POST /orgs/{org}/servers/{server}/key/revoke': { path: { org: string; server: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `servers.view` in the organisation. */
  'GET /orgs/{org}/servers/{server}/plugin-file': { path: { org: string; server: string }; query: {}; body: undefined; answer: PluginFile };
  /** Needs the permission `servers.roles` in the organisation. */
  'GET /orgs/{org}/servers/{server}/roles': { path: { org: string; server: string }; query: {}; body: undefined; answer: RoleRules };
  /** Needs the permission `servers.roles` in the organisation. */
  'PUT /orgs/{org}/servers/{server}/roles': { path: { org: string; server: string }; query: {}; body: RoleRulesChange; answer: RoleRules };
  /** Needs the permission `servers.roles` in the organisation. */
  'POST /orgs/{org}/servers/{server}/roles/dry-run': { path: { org: string; server: string }; query: {}; body: DryRunRules; answer: DryRun };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/settings': { path: { org: string }; query: {}; body: undefined; answer: OrgView };
  /** Needs the permission `org.settings` in the organisation. */
  'PATCH /orgs/{org}/settings': { path: { org: string }; query: {}; body: OrgChange; answer: undefined };
  /** Needs the permission `org.team` in the organisation. */
  'GET /orgs/{org}/team': { path: { org: string }; query: {}; body: undefined; answer: Team };
  /** Needs the permission `org.team` in the organisation. */
  'PATCH /orgs/{org}/team/{account}': { path: { org: string; account: string }; query: {}; body: MemberChange; answer: undefined };
  /** Needs the permission `org.team` in the organisation. */
  'DELETE /orgs/{org}/team/{account}': { path: { org: string; account: string }; query: {}; body: undefined; answer: undefined };
  /** Only the Owner of the organisation. */
  'POST /orgs/{org}/transfer': { path: { org: string }; query: {}; body: Transfer; answer: undefined };
  /** Needs the permission `org.settings` in the organisation. */
  'GET /orgs/{org}/trust': { path: { org: string }; query: {}; body: undefined; answer: TrustSettings };
  /** Needs the permission `org.settings` in the organisation. */
  'PUT /orgs/{org}/trust': { path: { org: string }; query: {}; body: TrustChange; answer: TrustSettings };
  /** Needs the permission `org.settings` in the organisation. */
  'POST /orgs/{org}/trust/simulate': { path: { org: string }; query: {}; body: TrustChange; answer: TrustSimulation };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/users': { path: { org: string }; query: { q?: string; guild_id?: string; server_id?: string; tier?: "Trusted" | "Normal" | "Watch" | "Risk"; country?: string; status?: "active" | "archived" | "flagged"; sort?: "-linked_at" | "linked_at" | "-score" | "score" | "name"; cursor?: string; limit?: number }; body: undefined; answer: UserList };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/users/choices': { path: { org: string }; query: {}; body: undefined; answer: UserChoices };
  /** Needs the permission `links.export` in the organisation. */
  'GET /orgs/{org}/users/export': { path: { org: string }; query: { q?: string; guild_id?: string; server_id?: string; tier?: "Trusted" | "Normal" | "Watch" | "Risk"; country?: string; status?: "active" | "archived" | "flagged"; sort?: "-linked_at" | "linked_at" | "-score" | "score" | "name"; format?: "csv" | "json" }; body: undefined; answer: undefined };
  /** Needs the permission `links.bulk_unlink` in the organisation. */
  'GET /orgs/{org}/users/unlink': { path: { org: string }; query: {}; body: undefined; answer: BulkUnlink };
  /** Needs the permission `links.bulk_unlink` in the organisation. */
  'POST /orgs/{org}/users/unlink': { path: { org: string }; query: {}; body: BulkUnlinkChoice; answer: BulkUnlinkStarted };
  /** Needs the permission `links.bulk_unlink` in the organisation. */
  'DELETE /orgs/{org}/users/unlink': { path: { org: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/users/{user}': { path: { org: string; user: string }; query: {}; body: undefined; answer: UserPage };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/users/{user}/graph': { path: { org: string; user: string }; query: {}; body: undefined; answer: UserGraph };
  /** Needs the permission `links.view` in the organisation. */
  'POST /orgs/{org}/users/{user}/trust': { path: { org: string; user: string }; query: {}; body: undefined; answer: undefined };
  /** Needs the permission `links.view` in the organisation. */
  'GET /orgs/{org}/users/{user}/trust-history': { path: { org: string; user: string }; query: { days?: number }; body: undefined; answer: TrustHistory };
  /** Needs the permission `links.unlink` in the organisation. */
  'POST /orgs/{org}/users/{user}/unlink': { path: { org: string; user: string }; query: {}; body: UnlinkWhere; answer: Unlinked };
}
