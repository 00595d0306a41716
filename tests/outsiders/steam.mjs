// Steam sign-in packages, unmodified, at the Steam emulator, which answers as steamcommunity.com here.
import assert from 'node:assert/strict';
import SteamAuth from 'node-steam-openid';
import SteamStrategy from 'passport-steam';
import SteamSignIn from 'steam-signin';
import { control, judge, world } from './world.mjs';

const realm = 'http://127.0.0.1:8080';
const returnTo = `${realm}/auth/steam/callback`;
const { account } = world.steam;

/** Goes to the page as a person who is chosen already; the address at which the browser comes back. */
async function visit(address) {
  assert.ok(address.startsWith('https://steamcommunity.com/openid/login?'), address);
  const response = await fetch(`${address}&as=${account}`, { redirect: 'manual' });
  assert.equal(response.status, 302, await response.text());
  return response.headers.get('location');
}

/** The same address with another account claimed. */
const forge = (address) => address.replaceAll(account, `${account.slice(0, -1)}9`);

/** What a passport strategy makes of a request: `redirect`, `success`, `fail` or `error`, and with what. */
function ask(strategy, url) {
  return new Promise((resolve) => {
    const asked = Object.create(strategy);
    for (const outcome of ['redirect', 'success', 'fail', 'error']) {
      asked[outcome] = (value) => resolve([outcome, value]);
    }
    const query = Object.fromEntries(new URL(url).searchParams);
    asked.authenticate({ method: 'GET', url, query, body: {} }, {});
  });
}

const passport = new SteamStrategy({ realm, returnURL: returnTo, profile: false }, (id, _, done) => done(null, { id }));

await judge('passport-steam', {
  'signs in': async () => {
    const [outcome, address] = await ask(passport, returnTo);
    assert.equal(outcome, 'redirect');
    const result = await ask(passport, await visit(address));
    assert.deepEqual(result, ['success', { id: `https://steamcommunity.com/openid/id/${account}` }]);
  },
  'is not told lies': async () => {
    const [, address] = await ask(passport, returnTo);
    const [outcome] = await ask(passport, forge(await visit(address)));
    assert.notEqual(outcome, 'success');
  },
});

const auth = new SteamAuth({ realm, returnUrl: returnTo, apiKey: 'any' });

await judge('node-steam-openid', {
  'signs in and reads the profile': async () => {
    const url = await visit(await auth.getRedirectUrl());
    const user = await auth.authenticate({ method: 'GET', url });
    assert.deepEqual([user.steamid, user.username], [account, 'Ada']);
  },
  'is not told twice': async () => {
    const url = await visit(await auth.getRedirectUrl());
    await auth.authenticate({ method: 'GET', url });
    await assert.rejects(auth.authenticate({ method: 'GET', url }));
  },
});

// This one drops the port from its realm, so it gets an address without.
const portless = 'http://players.example';
const signIn = new SteamSignIn(portless);
const visitPortless = () => visit(signIn.getUrl(`${portless}/auth/steam/callback`));

await judge('steam-signin', {
  'signs in': async () => {
    const id = await signIn.verifyLogin(await visitPortless());
    assert.equal(id.getSteamID64(), account);
  },
  'is not told lies': async () => {
    await assert.rejects(signIn.verifyLogin(forge(await visitPortless())));
  },
  'notices a Steam that is down': async () => {
    const url = await visitPortless();
    await control(world.steam.control, 'POST', 'faults', { route: 'POST /openid/login', fault: 'drop', times: 1 });
    await assert.rejects(signIn.verifyLogin(url));
    assert.equal((await signIn.verifyLogin(url)).getSteamID64(), account);
  },
});
