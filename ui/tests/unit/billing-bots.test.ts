import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeaving } from '../../src/features/billing/leaving.svelte';
import { keys, queryClient } from '../../src/lib/api/queries';
import type { BillingView, Me, OrgSummary, SubscriptionView } from '../../src/lib/api/schema';
import { unlocks } from '../../src/lib/built';
import { router } from '../../src/lib/router.svelte';
import { session } from '../../src/lib/session.svelte';
import Selling from './Selling.svelte';

const bot: SubscriptionView = { id: 's1', status: 'active', counts: true, bot: true, interval: 'month', guild_id: 'g1', guild_name: 'Rustlands', started_at_ms: 0 };
const view = (...subscriptions: SubscriptionView[]): BillingView => ({ tier: 'free', usage: { guilds: 2, servers: 0, links: 0, navigation_links: 0 }, plans: [], subscriptions, bot_price: 500, portal: true, asking: false });
const leaving = () => createLeaving(() => 'o1', () => undefined);
const away = vi.fn();

function holding(...permissions: string[]) {
  session.me = { billing: true, orgs: [{ id: 'o1', role: 'staff', permissions }] as unknown as OrgSummary[] } as Me;
  router.params = { org: 'o1' };
}

beforeEach(() => {
  holding('org.billing', 'servers.view');
  queryClient.setQueryData(keys.guilds('o1'), { guilds: [{ id: 'g1', name: 'Rustlands' }, { id: 'g2', name: 'Modded' }], removals: [] });
  vi.stubGlobal('location', { pathname: '/app/orgs/o1/billing', assign: away });
  away.mockReset();
});
afterEach(() => {
  session.me = null;
  router.params = {};
  queryClient.clear();
  sessionStorage.clear();
});

test('what was bought leads to its bot, for those who may manage it', () => {
  render(Selling, { view: view(bot), leaving: leaving() });
  expect(screen.getByRole('heading', { name: 'Rustlands' })).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
  cleanup();
  holding('org.billing', 'servers.view', 'servers.bots');
  render(Selling, { view: view(bot, { ...bot, id: 's2', guild_id: null, guild_name: null }), leaving: leaving() });
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/app/orgs/o1/guilds/g1/bot']);
  expect(screen.getByRole('heading', { name: 'A removed Guild' })).toBeTruthy();
});

test('one is sold for each Guild that has none, and a second click buys nothing more', async () => {
  const fetched = vi.fn(async (_url: string, _request?: RequestInit) => new Response(JSON.stringify({ url: 'https://checkout.example/1', expires_at_ms: 1 })));
  vi.stubGlobal('fetch', fetched);
  render(Selling, { view: view(bot), leaving: leaving() });
  const button = screen.getByRole('button');
  expect(button.textContent).toMatch(/Add Custom Bot: \$5 a month, for Modded/);
  await fireEvent.click(button);
  await fireEvent.click(button);
  await vi.waitFor(() => expect(away).toHaveBeenCalledWith('https://checkout.example/1'));
  const posts = fetched.mock.calls.filter(([, request]) => request?.method === 'POST');
  expect(posts.map(([url]) => url)).toEqual(['/api/orgs/o1/guilds/g2/billing/checkout']);
  expect(button.getAttribute('aria-busy')).toBe('true');
});

test('an address that is no web page is not followed', async () => {
  vi.stubGlobal('fetch', vi.fn(async () => new Response(JSON.stringify({ url: 'javascript:alert(1)', expires_at_ms: 1 }))));
  render(Selling, { view: view(bot), leaving: leaving() });
  await fireEvent.click(screen.getByRole('button'));
  await vi.waitFor(() => expect(screen.getByText(/couldn’t read the server’s response/)).toBeTruthy());
  expect(away).not.toHaveBeenCalled();
});

test('whoever can’t see the Guilds is told what they lack', () => {
  holding('org.billing');
  render(Selling, { view: view(), leaving: leaving() });
  expect(document.body.textContent).toContain('you need the permission “View Servers”');
});

test('managing billing makes a difference only where something is sold', () => {
  expect(unlocks('org.billing')).toBe(true);
  session.me = { ...session.me!, billing: false };
  expect(unlocks('org.billing')).toBe(false);
  expect(unlocks('links.view')).toBe(true);
});
