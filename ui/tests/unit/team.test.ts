import { describe, expect, test, vi } from 'vitest';
import type { Member, Team } from '../../src/lib/api/schema';
import { lockedIn, scopeOf, startsWith, statusOf } from '../../src/features/tenancy/invites/invite-form';
import { Edits } from '../../src/features/tenancy/team/edits.svelte';
import { areasOf, cellOf, filledBy, meanwhile, roleEffect, withPermissions } from '../../src/features/tenancy/team/matrix';

const member = (more: Partial<Member>): Member => ({
  account_id: 'a2',
  name: 'iven',
  discord_id: '1',
  role: 'staff',
  permissions: ['links.view'],
  joined_at_ms: 0,
  you: false,
  can_edit: true,
  revision: 1,
  ...more,
});
const team: Team = {
  members: [],
  areas: [{ name: 'Links', permissions: ['links.view', 'links.unlink'] }, { name: 'Organisation', permissions: ['org.billing'] }],
  defaults: [
    { role: 'admin', permissions: ['links.view', 'links.unlink', 'org.team'] },
    { role: 'staff', permissions: ['links.view'] },
  ],
  grantable: ['links.view', 'links.unlink'],
};
const cell = (one: Member, permission: string) => cellOf(team, one, one.permissions, permission);

describe('cells of the matrix', () => {
  test('the Owner holds everything and nobody changes it', () => {
    expect(cell(member({ role: 'owner', permissions: [], can_edit: true }), 'org.billing')).toMatchObject({ on: true, differs: false, locked: /Owner/ });
  });

  test('a difference from the role is marked both ways', () => {
    const one = member({ permissions: ['links.unlink'] });
    expect(cell(one, 'links.view').differs).toBe(true);
    expect(cell(one, 'links.unlink').differs).toBe(true);
    expect(cell(one, 'org.billing').differs).toBe(false);
  });

  test('what the reader does not hold can be taken away but not given', () => {
    expect(cell(member({}), 'org.billing').locked).toMatch(/can’t grant/);
    expect(cell(member({ permissions: ['org.billing'] }), 'org.billing').locked).toBeNull();
  });

  test('rank and oneself lock every cell', () => {
    expect(cell(member({ can_edit: false, role: 'admin' }), 'links.view').locked).toBe('Only someone above Admin can change iven.');
    expect(cell(member({ can_edit: false, you: true }), 'links.view').locked).toMatch(/your own/);
  });
});

describe('roles', () => {
  test('a role fills its defaults as far as the reader holds them', () => {
    expect(filledBy(team, 'admin')).toEqual(['links.view', 'links.unlink']);
  });

  test('what changes is said before', () => {
    const one = member({ permissions: ['org.invites', 'links.view'] });
    const held = { ...team, grantable: [...team.grantable, 'org.team'] };
    expect(roleEffect(held, one, 'admin')).toEqual({ role: 'admin', gained: ['links.unlink', 'org.team'], lost: ['org.invites'] });
    expect(roleEffect(team, member({}), 'staff')).toMatchObject({ gained: [], lost: [] });
  });
});

describe('what unlocks nothing yet', () => {
  test('has no switch, and an area of nothing else is left out', () => {
    const areas = [{ name: 'Links', permissions: ['links.view', 'org.billing'] }, { name: 'Plans', permissions: ['org.billing'] }];
    expect(areasOf({ areas })).toEqual([{ name: 'Links', permissions: ['links.view'] }]);
  });

  test('is not told when a role changes', () => {
    const held = member({ permissions: ['links.view', 'links.unlink', 'org.billing'] });
    expect(roleEffect(team, held, 'admin')).toMatchObject({ gained: [], lost: [] });
  });
});

describe('switches that save at once', () => {
  function started() {
    const gates: Array<{ ok: (more?: Partial<Member>) => void; no: (cause: Error) => void; sent: string[]; on: number }> = [];
    const effects = {
      save: vi.fn(
        (on: Member, sent: string[]) =>
          new Promise<Member>((answer, no) =>
            gates.push({ ok: (more = {}) => answer({ ...on, permissions: sent, revision: on.revision + 1, ...more }), no, sent: [...sent], on: on.revision }),
          ),
      ),
      saved: vi.fn(),
      passed: vi.fn(),
      failed: vi.fn(async () => {}),
    };
    return { gates, effects, edits: new Edits(effects) };
  }

  test('the switch moves before the answer and moves back on a refusal', async () => {
    const { edits, gates, effects } = started();
    const one = member({});
    const done = edits.toggle(one, 'links.unlink', true);
    expect(edits.held(one)).toContain('links.unlink');
    gates[0]!.no(new Error('no'));
    await done;
    expect(edits.held(one)).toEqual(['links.view']);
    expect(effects.failed).toHaveBeenCalledOnce();
    expect(effects.saved).not.toHaveBeenCalled();
  });

  test('quick clicks on one member go out one after the other, and none is lost', async () => {
    const { edits, gates, effects } = started();
    const one = member({});
    const done = edits.toggle(one, 'links.unlink', true);
    void edits.toggle(one, 'links.view', false);
    expect(effects.save).toHaveBeenCalledTimes(1);
    gates[0]!.ok();
    await vi.waitFor(() => expect(gates).toHaveLength(2));
    expect(gates[1]!.sent).toEqual(['links.unlink']);
    expect([gates[0]!.on, gates[1]!.on]).toEqual([1, 2]);
    gates[1]!.ok();
    await done;
    expect(effects.saved).toHaveBeenCalledOnce();
  });

  test('a quick second click does not go on top of what somebody else did in between', async () => {
    const { edits, gates, effects } = started();
    const one = member({});
    const done = edits.toggle(one, 'links.unlink', true);
    void edits.toggle(one, 'links.view', false);
    gates[0]!.ok({ permissions: ['org.billing'], revision: 3 });
    await done;
    expect(effects.save).toHaveBeenCalledOnce();
    expect(edits.held(member({ permissions: ['org.billing'] }))).toEqual(['org.billing']);
    expect(effects.saved).not.toHaveBeenCalled();
    const [before, now] = effects.passed.mock.calls[0]!;
    expect(meanwhile(before, now)).toBe('Meanwhile, someone else changed iven: granted Manage billing; removed View links and Unlink players.');
  });

  test('what was saved is what the team holds, on top of which the next change goes', () => {
    const [one, two] = [member({}), member({ account_id: 'a3' })];
    const after = withPermissions({ ...team, members: [one, two] }, one, ['links.unlink']);
    expect(after.members).toEqual([{ ...one, permissions: ['links.unlink'], revision: one.revision + 1 }, two]);
  });

  test('what somebody else did meanwhile is said', () => {
    const before = member({ permissions: ['links.view', 'org.team'] });
    expect(meanwhile(before, member({ role: 'admin', permissions: ['links.view', 'links.unlink'] }))).toBe(
      'Meanwhile, someone else changed iven: made them Admin; granted Unlink players; removed Manage the team.',
    );
    expect(meanwhile(before, undefined)).toBe('iven is no longer in the team.');
  });

  test('two members do not wait for each other', () => {
    const { edits, effects } = started();
    void edits.toggle(member({}), 'links.unlink', true);
    void edits.toggle(member({ account_id: 'a3' }), 'links.unlink', true);
    expect(effects.save).toHaveBeenCalledTimes(2);
  });
});

describe('invites', () => {
  const maker = { role: 'admin' as const, permissions: ['org.invites', 'links.view', 'servers.view', 'analytics.view', 'org.billing'] };

  test('nothing can be given that is not held', () => {
    const locked = lockedIn(scopeOf(maker));
    expect(locked).toContain('org.team');
    expect(locked).not.toContain('links.view');
    expect(lockedIn(scopeOf({ role: 'owner', permissions: [] }))).toEqual([]);
  });

  test('what unlocks nothing is not offered, and still comes with its role', () => {
    const scope = scopeOf(maker);
    const offered = scope.areas.flatMap((area) => area.items);
    expect(scope.areas.map((area) => area.name)).toEqual(['Organisation', 'Links', 'Servers', 'Audit', 'Analytics']);
    expect(offered).not.toContain('org.billing');
    expect(scope.fill('staff')).toEqual(['links.view', 'servers.view', 'analytics.view']);
    expect(scope.fill('admin')).not.toContain('org.billing');
  });

  test('what a role starts with is said in words of what exists', () => {
    const owner = scopeOf({ role: 'owner', permissions: [] });
    expect(startsWith(owner, 'staff')).toBe('Starts with “View links”, “View Servers” and “View analytics”.');
    expect(startsWith(owner, 'admin')).toBe('Starts with every permission you can grant.');
    expect(startsWith(scopeOf(maker), 'staff')).toBe('Starts with everything except “Invite people”.');
  });

  test('a revoked invite is revoked even when its time is over', () => {
    expect(statusOf({ revoked: true, expired: true })).toBe('revoked');
    expect(statusOf({ revoked: false, expired: true })).toBe('expired');
    expect(statusOf({ revoked: false, expired: false })).toBe('active');
  });
});
