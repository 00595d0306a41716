import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import Invites from '../../src/features/tenancy/invites/Invites.svelte';
import NewServer from '../../src/features/tenancy/servers/NewServer.svelte';
import Asking from './Asking.svelte';

const answer = (body: unknown, status = 200) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } }));

const invite = (id: string, more: object) => ({
  id,
  url: null,
  can_edit: false,
  role: 'admin',
  permissions: ['org.team'],
  note: id,
  created_at_ms: 0,
  created_by: 'maya',
  expires_at_ms: null,
  revoked: false,
  expired: false,
  uses: 0,
  ...more,
});

test('an invite that one could not have made is shown without its link and without buttons', async () => {
  answer({ invites: [invite('theirs', {}), invite('mine', { can_edit: true, url: 'https://here.example/invite/abcdefghij' })] });
  render(Asking, { part: Invites, given: { org: 'o1' } });
  const row = async (note: string) => within((await screen.findByText(note)).closest('tr') as HTMLElement);
  const theirs = await row('theirs');
  expect(theirs.queryAllByRole('button')).toEqual([]);
  expect(theirs.getByText('Grants more than you have')).toBeTruthy();
  const mine = await row('mine');
  expect(mine.getAllByRole('button').map((one) => one.textContent?.trim())).toContain('Revoke');
  expect(mine.getByText('/invite/abcdef…')).toBeTruthy();
});

test('whoever adds a Server without the right to keys is told who finds its key', async () => {
  answer({ server_id: 's9', key: null }, 201);
  const guilds = [{ id: 'g1', name: 'Rustlands' }];
  render(Asking, { part: NewServer, given: { open: true, org: 'o1', guilds } });
  await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'EU 3x' } });
  await fireEvent.click(screen.getByRole('button', { name: 'Add Server' }));
  expect(await screen.findByText(/Someone with the permission/)).toBeTruthy();
  expect(screen.queryByText('What to do next')).toBeNull();
});
