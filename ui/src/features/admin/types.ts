import type { Answer } from '$lib/api/client';

export type Announcement = Answer<'GET /admin/announcements'>['announcements'][number];
export type Severity = Announcement['severity'];
export type Target = Announcement['target'];
export type Block = Answer<'GET /admin/blocks'>['blocks'][number];
export type Code = Answer<'GET /admin/registration'>['codes'][number];
export type Flag = Answer<'GET /admin/flags'>['flags'][number];
export type Operator = Answer<'GET /admin/operators'>['operators'][number];
export type Job = Answer<'GET /admin/jobs'>['jobs'][number];
export type Runner = Answer<'GET /admin/runners'>['bots'][number];
export type Build = Answer<'GET /admin/plugin-builds'>['builds'][number];
export type OrgFound = Answer<'GET /admin/orgs/{org}'>;
export type AccountFound = Answer<'GET /admin/accounts/{account}'>;
export type Visit = Answer<'GET /admin/visits'>['visits'][number];
