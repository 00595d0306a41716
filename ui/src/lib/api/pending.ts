// Operations of the operator area that openapi.json does not describe yet. What it describes goes from here.

import type { AuditAction, AuditEntry, Tier } from './schema';

type BlockKind = 'discord' | 'steam' | 'network';
interface Block { id: string; kind: BlockKind; value: string | null; erased: boolean; reason: string; created_at_ms: number; expires_at_ms: number | null }
type Severity = 'info' | 'success' | 'warning' | 'critical';
type Target = 'all' | 'free' | 'standard' | 'pro' | 'paid';
interface Shown { id: string; severity: Severity; text: string; starts_at_ms: number; ends_at_ms: number | null }
interface Announcement extends Shown { target: Target; state: 'planned' | 'shown' | 'ended'; created_at_ms: number; created_by: string | null; dismissals: number; revision: number }
type RegistrationMode = 'open' | 'invite_only';
interface Code { id: string; note: string; state: 'usable' | 'used_up' | 'expired' | 'revoked'; uses: number; max_uses: number; created_at_ms: number; expires_at_ms: number | null; revoked_at_ms: number | null }
interface Flag { name: string; about: string; on: boolean; default: boolean; set_at_ms: number | null; set_by: string | null; set_by_name: string | null }
interface Operator { discord_id: string; account_id: string | null; name: string | null; in_setting: boolean; granted: boolean; you: boolean }
interface Job { number: number; kind: string; lane: string; org_id: string | null; created_at_ms: number; attempts: number; done: number; total: number; cancelled: boolean; last_error: string | null; run_at_ms: number; running: boolean; droppable: boolean }
interface Runner { id: string; guild_id: string | null; hosted: boolean; state: string | null; step: string | null; reason: string | null; failure: string | null; node: string | null; guilds: number; memory_bytes: number; heard_at_ms: number | null; online_at_ms: number | null }
interface Build { version: string; sha256: string; size: number; published_at_ms: number; file_name: string; withdrawn: boolean; latest: boolean }
interface FoundOrg { id: string; slug: string; name: string; tier: Tier; owner: { account_id: string; name: string }; guilds: number; servers: number; links: number; created_at_ms: number }
interface FoundAccount { id: string; discord_id: string; name: string; operator: boolean; orgs_owned: number; created_at_ms: number }
interface Visit { org_id: string; org_name: string; account_id: string; account_name: string; write: boolean; reason: string; began_at_ms: number; ends_at_ms: number; yours: boolean }
interface Paging { after?: string; limit?: number }
type Next = { next_after?: string | null };
type Read<Q, A> = { path: {}; query: Q; body: undefined; answer: A };
type Of<P extends string, B, A> = { path: { [K in P]: string }; query: {}; body: B; answer: A };
type Does<B, A> = { path: {}; query: {}; body: B; answer: A };

export interface Pending {
  'GET /admin/maintenance': Read<{}, { on: boolean; message: string | null }>;
  'PUT /admin/maintenance': Does<{ on: boolean; message?: string | null }, undefined>;
  'GET /admin/sessions': Read<{}, { living: number; idle: number; idle_days: number }>;
  'POST /admin/sessions/end-all': Does<{ confirm: string }, undefined>;
  'POST /admin/sessions/drop-idle': Does<undefined, undefined>;
  'GET /admin/blocks': Read<Paging & { kind?: BlockKind; q?: string }, Next & { blocks: Block[] }>;
  'POST /admin/blocks': Does<{ kind: BlockKind; value: string; reason: string; days?: number | null }, { id: string }>;
  'DELETE /admin/blocks/{block}': Of<'block', undefined, undefined>;
  'GET /announcements': Read<{}, { announcements: Shown[] }>;
  'GET /orgs/{org}/announcements': Of<'org', undefined, { announcements: Shown[] }>;
  'POST /announcements/{announcement}/dismiss': Of<'announcement', undefined, undefined>;
  'GET /admin/announcements': Read<Paging, Next & { announcements: Announcement[] }>;
  'POST /admin/announcements': Does<{ severity: Severity; target: Target; text: string; starts_at_ms?: number | null; ends_at_ms?: number | null }, Announcement>;
  'PATCH /admin/announcements/{announcement}': Of<'announcement', { revision?: number; severity?: Severity; target?: Target; text?: string; starts_at_ms?: number; ends_at_ms?: number | null }, Announcement>;
  'POST /admin/announcements/{announcement}/end': Of<'announcement', undefined, Announcement>;
  'DELETE /admin/announcements/{announcement}': Of<'announcement', undefined, undefined>;
  'GET /admin/registration': Read<Paging, Next & { mode: RegistrationMode; codes: Code[] }>;
  'PUT /admin/registration': Does<{ mode: RegistrationMode }, undefined>;
  'POST /admin/registration/codes': Does<{ note?: string; max_uses?: number; days?: number | null }, { id: string; code: string }>;
  'POST /admin/registration/codes/{registration}/revoke': Of<'registration', undefined, undefined>;
  'GET /admin/flags': Read<{}, { flags: Flag[] }>;
  'PUT /admin/flags/{flag}': Of<'flag', { on: boolean }, undefined>;
  'GET /admin/operators': Read<{}, { operators: Operator[] }>;
  'POST /admin/operators': Does<{ discord_id: string }, { account_id: string }>;
  'DELETE /admin/operators/{account}': Of<'account', undefined, undefined>;
  'GET /admin/audit': Read<{ action?: string; actor?: string; target?: string; from_ms?: number; to_ms?: number; before?: number; limit?: number }, { entries: AuditEntry[]; next_before?: number | null; actions: AuditAction[] }>;
  'GET /admin/audit/verify': Read<{ org?: string }, { intact: boolean; entries: number; finding: string | null }>;
  'GET /admin/jobs': Read<Paging & { state?: 'failed' | 'running' | 'waiting'; kind?: string }, Next & { jobs: Job[]; kinds: Array<{ kind: string; jobs: number; failed: number; oldest_at_ms: number | null }>; lanes: Array<{ kind: string; jobs: number }> }>;
  'POST /admin/jobs/{job}/retry': Of<'job', undefined, { running: boolean }>;
  'DELETE /admin/jobs/{job}': Of<'job', undefined, { running: boolean }>;
  'GET /admin/runners': Read<{}, { states: Array<{ state: string; bots: number }>; nodes: Array<{ node: string; bots: number }>; bots: Runner[] }>;
  'GET /admin/plugin-builds': Read<{}, { builds: Build[] }>;
  'POST /admin/plugin-builds/{version}/withdraw': Of<'version', undefined, undefined>;
  'POST /admin/plugin-builds/{version}/restore': Of<'version', undefined, undefined>;
  'GET /admin/orgs': Read<Paging & { q?: string }, Next & { orgs: FoundOrg[] }>;
  'GET /admin/orgs/{org}': Of<'org', undefined, FoundOrg & { guild_list: Array<{ id: string; name: string; slug: string; discord_guild_id: string; links: number }>; members: number; visit: { ends_at_ms: number; write: boolean } | null }>;
  'GET /admin/accounts': Read<Paging & { q?: string }, Next & { accounts: FoundAccount[] }>;
  'GET /admin/accounts/{account}': Of<'account', undefined, FoundAccount & { blocked: boolean; sessions: number; orgs: Array<{ id: string; name: string; tier: Tier; role: 'owner' | 'admin' | 'staff' }> }>;
  'GET /admin/visits': Read<{}, { visits: Visit[] }>;
  'POST /admin/orgs/{org}/visit': Of<'org', { reason: string; write?: boolean; minutes?: number }, { ends_at_ms: number }>;
  'DELETE /admin/orgs/{org}/visit': Of<'org', undefined, undefined>;
  'POST /admin/orgs/{org}/transfer': Of<'org', { account_id: string; reason: string; confirm: string }, undefined>;
  'POST /admin/guilds/{guild}/release': Of<'guild', { reason: string; confirm: string }, undefined>;
}

/** What `GET /account` says of an Org that its reader visits as an operator. */
export interface Visited { visit?: { ends_at_ms: number; write: boolean } | null }
