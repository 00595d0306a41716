import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { leavingBy } from '../../src/lib/leave';
import { find, href, match, router } from '../../src/lib/router.svelte';

const ROUTES = [{ path: '/' }, { path: '/orgs/:org/guilds/new' }, { path: '/orgs/:org/guilds/:gid' }, { path: '/new' }];

describe('addresses', () => {
  test('parameters are read and decoded', () => {
    expect(match('/orgs/:org/guilds/:gid', '/orgs/a%20b/guilds/7')).toEqual({ org: 'a b', gid: '7' });
    expect(match('/orgs/:org', '/orgs/1/')).toEqual({ org: '1' });
    expect(match('/', '/')).toEqual({});
  });

  test('a longer, shorter or broken address does not fit', () => {
    expect(match('/orgs/:org', '/orgs')).toBeNull();
    expect(match('/orgs/:org', '/orgs/1/2')).toBeNull();
    expect(match('/orgs/:org', '/orgs/%E0%A4%A')).toBeNull();
  });

  test('the first route that fits wins', () => {
    expect(find(ROUTES, '/orgs/1/guilds/new')?.route.path).toBe('/orgs/:org/guilds/new');
    expect(find(ROUTES, '/orgs/1/guilds/2')?.params).toEqual({ org: '1', gid: '2' });
    expect(find(ROUTES, '/nowhere')).toBeNull();
  });

  test('href and match are each other’s inverse, whatever the parameter', () => {
    for (const gid of ['7', 'a b', 'ü/ö', '100%', '?#&', '..']) {
      const path = href('/orgs/:org/guilds/:gid', { org: '1', gid }).slice('/app'.length);
      expect(match('/orgs/:org/guilds/:gid', path)).toEqual({ org: '1', gid });
    }
  });

  test('an empty value is left out of the query', () => {
    expect(href('/', {}, { q: 'a b', tab: '', page: null })).toBe('/app/?q=a+b');
  });
});

describe('going about', () => {
  let stop = () => {};
  beforeEach(() => {
    history.replaceState(null, '', '/app/');
    stop = router.start(ROUTES);
  });
  afterEach(() => {
    stop();
    document.body.replaceChildren();
  });

  function click(html: string, init: MouseEventInit = {}) {
    document.body.innerHTML = html;
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init });
    document.querySelector('a')!.dispatchEvent(event);
    return event.defaultPrevented;
  }

  test('a link inside the dashboard is followed without loading', () => {
    expect(click('<a href="/app/orgs/1/guilds/2?tab=x"><b>Go</b></a>')).toBe(true);
    expect(router.path).toBe('/orgs/1/guilds/2');
    expect(router.params).toEqual({ org: '1', gid: '2' });
    expect(router.query.get('tab')).toBe('x');
  });

  test('links elsewhere, downloads and clicks for a new tab are left to the browser', () => {
    const before = router.path;
    expect(click('<a href="/auth/discord/login">Sign in</a>')).toBe(false);
    expect(click('<a href="/application">Other</a>')).toBe(false);
    expect(click('<a href="/app/new" download>Save</a>')).toBe(false);
    expect(click('<a href="/app/new" target="_blank">Tab</a>')).toBe(false);
    expect(click('<a href="/app/new">Tab</a>', { ctrlKey: true })).toBe(false);
    expect(router.path).toBe(before);
  });

  test('unsaved changes hold the person back until they are gone', () => {
    let dirty = true;
    const asked = vi.fn(() => dirty);
    const lift = router.guard(asked);
    expect(router.go(href('/new'))).toBe(false);
    expect(router.path).toBe('/');
    expect(asked).toHaveBeenCalledOnce();
    dirty = false;
    expect(router.go(href('/new'))).toBe(true);
    expect(router.path).toBe('/new');
    lift();
  });

  test('a way out that comes back is free once, and only for a click that follows it', () => {
    const lift = router.guard(() => true);
    const held = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(held()).toBe(true);
    leavingBy(new MouseEvent('click', { ctrlKey: true }));
    expect(held(), 'a new tab leaves this one where it is').toBe(true);
    leavingBy(new MouseEvent('click'));
    expect([held(), held()], 'and the page may be shown again').toEqual([false, true]);
    lift();
  });

  test('a change of the query keeps the rest of it and is not a visit', () => {
    router.go(`${href('/new')}?q=fox&page=3`);
    const visits = router.visits;
    router.setQuery({ page: null, tab: 'b' });
    expect(location.search).toBe('?q=fox&tab=b');
    expect(router.visits).toBe(visits);
    expect(router.withQuery({ q: null })).toBe('/app/new?tab=b');
  });

  test('a link that only changes the query replaces all of it', () => {
    router.go(`${href('/new')}?q=fox`);
    click('<a href="/app/new?tab=b">Tab</a>');
    expect(location.search).toBe('?tab=b');
  });
});
