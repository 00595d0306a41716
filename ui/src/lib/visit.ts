// Operators look into an organisation by a visit: it is listed among their own until the visit ends.

import type { Me, OrgSummary, VisitOfOrg } from './api/schema';

export type Visit = VisitOfOrg;

/** The visit by which this person sees an organisation; null for one of their own. */
export function visitOf(org: OrgSummary): Visit | null {
  return org.visit ?? null;
}

/** The organisations that somebody is a member of. */
export function ownOrgs(me: Pick<Me, 'orgs'>): OrgSummary[] {
  return me.orgs.filter((org) => !visitOf(org));
}

export function visitedOrgs(me: Pick<Me, 'orgs'>): Array<{ org: OrgSummary; visit: Visit }> {
  return me.orgs.flatMap((org) => {
    const visit = visitOf(org);
    return visit ? [{ org, visit }] : [];
  });
}
