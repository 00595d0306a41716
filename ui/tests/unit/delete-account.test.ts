import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import DeleteAccount from '../../src/features/identity/account/DeleteAccount.svelte';
import { queryClient } from '../../src/lib/api/queries';
import type { Me, OrgSummary } from '../../src/lib/api/schema';
import { session } from '../../src/lib/session.svelte';

const away = vi.fn();
const org = (id: string, name: string, role: OrgSummary['role']) => ({ id, name, role }) as OrgSummary;
const me = (...orgs: OrgSummary[]) => ({ id: 'usr_1', name: 'Ada', orgs }) as Me;
const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, ' ').trim();

function answers(status: number, code = '') {
  const fetched = vi.fn(async (_url: string, _request: RequestInit) => new Response(status === 204 ? null : JSON.stringify({ code, message: 'No.' }), { status }));
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

/** Opens the question, types the word and confirms. */
async function confirm() {
  await fireEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  const dialog = within(await screen.findByRole('dialog'));
  const button = dialog.getByRole('button', { name: 'Delete account' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  await fireEvent.input(dialog.getByLabelText('Type delete to confirm'), { target: { value: 'delete' } });
  await fireEvent.click(button);
}

beforeEach(() => {
  session.me = me();
  session.asks = null;
  session.signedOut = false;
  away.mockReset();
  vi.stubGlobal('location', { pathname: '/app/account', assign: away });
  sessionStorage.setItem('drafts', JSON.stringify({ account: 'usr_1', path: '/app/account', drafts: { guild: {} } }));
});

test('what happens is said with the number of teams, and where the rest of the data is', async () => {
  render(DeleteAccount, { me: me(org('o1', 'Rustlands', 'admin'), org('o2', 'Arcadia', 'staff')) });
  expect(screen.getByRole('link', { name: 'Your data' }).getAttribute('href')).toBe('/me');
  await fireEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  const dialog = await screen.findByRole('dialog');
  expect(words(dialog)).toContain('This takes you out of 2 teams, ends all your sessions and deletes your name and picture. It can’t be undone.');
});

test('who is in no team is not told of any', async () => {
  render(DeleteAccount, { me: me() });
  await fireEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  expect(words(await screen.findByRole('dialog'))).toContain('This ends all your sessions and deletes your name and picture.');
});

test('whoever owns organisations is led to the settings of each of them first', async () => {
  const fetched = answers(204);
  const { rerender } = render(DeleteAccount, { me: me(org('o1', 'Rustlands', 'owner'), org('o2', 'Arcadia', 'staff')) });
  const button = () => screen.getByRole('button', { name: 'Delete account' }) as HTMLButtonElement;
  expect(words(screen.getByText(/You own/))).toBe('You own Rustlands. Transfer ownership or delete the organisation first.');
  expect(screen.getByRole('link', { name: 'Rustlands' }).getAttribute('href')).toBe('/app/orgs/o1/settings');
  expect(button().disabled).toBe(true);
  await rerender({ me: me(org('o1', 'Rustlands', 'owner'), org('o3', 'Tundra', 'owner'), org('o4', 'Dunes', 'owner')) });
  expect(words(screen.getByText(/You own/))).toBe('You own Rustlands, Tundra and Dunes. Transfer ownership or delete the organisations first.');
  await rerender({ me: me(org('o1', 'Rustlands', 'admin')) });
  expect(screen.queryByText(/You own/)).toBeNull();
  expect(button().disabled).toBe(false);
  expect(fetched).not.toHaveBeenCalled();
});

test('who deleted their account leaves nothing behind, as after signing out', async () => {
  const fetched = answers(204);
  render(DeleteAccount, { me: me() });
  await confirm();
  await vi.waitFor(() => expect(away).toHaveBeenCalledExactlyOnceWith('/'));
  expect(fetched.mock.calls.map(([url, request]) => `${request.method} ${url}`)).toEqual(['DELETE /api/account']);
  expect(sessionStorage.length).toBe(0);
  expect(session.asks).toBeNull();
});

test('a sign-in that is too old is asked for in the place of the question', async () => {
  answers(403, 'SIGN_IN_AGAIN');
  render(DeleteAccount, { me: me() });
  await confirm();
  await vi.waitFor(() => expect(session.asks).toBe('again'));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(away).not.toHaveBeenCalled();
});

test('a refusal is said in the question, what the person has is read again, and the next question begins without it', async () => {
  const refresh = vi.spyOn(queryClient, 'invalidateQueries').mockResolvedValue();
  answers(409, 'OWNS_ORGS');
  render(DeleteAccount, { me: me() });
  await confirm();
  const dialog = within(screen.getByRole('dialog'));
  await vi.waitFor(() => expect(dialog.getByRole('alert').textContent).toBe('No.'));
  expect(refresh).toHaveBeenCalledExactlyOnceWith({ queryKey: ['me'] });
  expect(away).not.toHaveBeenCalled();
  await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await fireEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  await tick();
  expect(within(await screen.findByRole('dialog')).queryByText('No.')).toBeNull();
});
