// oauth4webapi signs a person in at the Discord emulator.
import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { judge, world } from './world.mjs';

const { discord } = world;
const server = {
  issuer: 'https://discord.com',
  authorization_endpoint: discord.authorize,
  token_endpoint: `${discord.api}/oauth2/token`,
  revocation_endpoint: `${discord.api}/oauth2/token/revoke`,
  userinfo_endpoint: `${discord.api}/users/@me`,
};
const client = { client_id: discord.bot };
const insecure = { [oauth.allowInsecureRequests]: true };

/** Goes to the page as a person who is chosen already; the parameters with which the browser comes back. */
async function visit(verifier, state, person) {
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: discord.redirect_uri,
    response_type: 'code',
    scope: 'identify guilds',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    as: person,
  });
  const response = await fetch(url, { redirect: 'manual' });
  assert.equal(response.status, 302);
  return new URL(response.headers.get('location'));
}

async function signIn(authenticate) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const back = oauth.validateAuthResponse(server, client, await visit(verifier, state, discord.member), state);
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, authenticate, back, discord.redirect_uri, verifier, insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

const me = (token) => oauth.protectedResourceRequest(token, 'GET', new URL(server.userinfo_endpoint), undefined, undefined, insecure);
let tokens;

await judge('oauth4webapi', {
  'signs in with the secret in the body': async () => {
    tokens = await signIn(oauth.ClientSecretPost(discord.secret));
    assert.equal(tokens.token_type, 'bearer');
    assert.equal((await (await me(tokens.access_token)).json()).id, discord.member);
  },
  'signs in with the secret in the header': async () => {
    await signIn(oauth.ClientSecretBasic(discord.secret));
  },
  'is told no when the person cancels': async () => {
    const url = await visit(oauth.generateRandomCodeVerifier(), 'state', 'cancel');
    assert.throws(() => oauth.validateAuthResponse(server, client, url, 'state'), { error: 'access_denied' });
  },
  'cannot use a code with another verifier': async () => {
    const url = await visit(oauth.generateRandomCodeVerifier(), 'state', discord.member);
    const back = oauth.validateAuthResponse(server, client, url, 'state');
    const response = await oauth.authorizationCodeGrantRequest(
      server, client, oauth.ClientSecretPost(discord.secret), back, discord.redirect_uri,
      oauth.generateRandomCodeVerifier(), insecure,
    );
    await assert.rejects(oauth.processAuthorizationCodeResponse(server, client, response), { error: 'invalid_grant' });
  },
  'renews its tokens': async () => {
    const authenticate = oauth.ClientSecretPost(discord.secret);
    const response = await oauth.refreshTokenGrantRequest(server, client, authenticate, tokens.refresh_token, insecure);
    tokens = await oauth.processRefreshTokenResponse(server, client, response);
    assert.equal((await me(tokens.access_token)).status, 200);
  },
  'revokes them': async () => {
    const authenticate = oauth.ClientSecretPost(discord.secret);
    const response = await oauth.revocationRequest(server, client, authenticate, tokens.access_token, insecure);
    await oauth.processRevocationResponse(response);
    assert.equal((await me(tokens.access_token)).status, 401);
  },
});
