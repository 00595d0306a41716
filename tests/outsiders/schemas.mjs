// Every answer of the Discord emulator has the form that Discord's own description gives it.
import assert from 'node:assert/strict';
import * as spec from 'discord-api-spec/zod';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import * as z from 'zod/mini';
import { control, judge, once, world } from './world.mjs';

const { discord } = world;
const bot = `Bot ${discord.token}`;
let bearer;

/** Calls a route; the answer must have this form. */
async function check(form, method, path, { body, authorization = bot, status = 200 } = {}) {
  const response = await fetch(`${discord.api}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, status, text);
  const value = JSON.parse(text);
  // The description wants times with Z, where Discord itself writes +00:00.
  const { error } = form.safeParse(JSON.parse(text.replaceAll('+00:00"', 'Z"')));
  assert.equal(error, undefined, `${method} ${path}: ${error && z.prettifyError(error)}\n${text}`);
  return value;
}

/** The tokens of a person who agreed to everything that is asked here. */
async function signIn() {
  const wish = new URLSearchParams({
    client_id: discord.bot,
    redirect_uri: discord.redirect_uri,
    response_type: 'code',
    scope: 'identify email guilds guilds.join guilds.members.read',
    as: discord.owner,
  });
  const page = await fetch(`${discord.authorize}?${wish}`, { redirect: 'manual' });
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: discord.bot,
    client_secret: discord.secret,
    redirect_uri: discord.redirect_uri,
    code: new URL(page.headers.get('location')).searchParams.get('code'),
  });
  const response = await fetch(`${discord.api}/oauth2/token`, { method: 'POST', body });
  return `Bearer ${(await response.json()).access_token}`;
}

const guild = `/guilds/${discord.guild}`;
const messages = `/channels/${discord.channel}/messages`;
const commands = `/applications/${discord.bot}${guild}/commands`;
const list = (form) => z.array(form);

await judge('discord-api-spec', {
  'knows people and what they see': async () => {
    await control(discord.control, 'PATCH', 'state', { limits: { enforced: false } });
    bearer = await signIn();
    const person = { authorization: bearer };
    await check(spec.UserPIIResponseSchema, 'GET', '/users/@me');
    await check(spec.UserPIIResponseSchema, 'GET', '/users/@me', person);
    await check(spec.UserResponseSchema, 'GET', `/users/${discord.member}`);
    await check(list(spec.MyGuildResponseSchema), 'GET', '/users/@me/guilds', person);
    await check(spec.PrivateGuildMemberResponseSchema, 'GET', `/users/@me${guild}/member`, person);
    await check(spec.OAuth2GetAuthorizationResponseSchema, 'GET', '/oauth2/@me', person);
    await check(spec.PrivateApplicationResponseSchema, 'GET', '/applications/@me');
    await check(spec.PrivateApplicationResponseSchema, 'GET', '/oauth2/applications/@me');
  },

  'knows guilds, members, roles and channels': async () => {
    await check(spec.GuildWithCountsResponseSchema, 'GET', `${guild}?with_counts=true`);
    await check(list(spec.GuildMemberResponseSchema), 'GET', `${guild}/members?limit=10`);
    await check(list(spec.GuildMemberResponseSchema), 'GET', `${guild}/members/search?query=b`);
    await check(spec.GuildMemberResponseSchema, 'GET', `${guild}/members/${discord.member}`);
    const role = await check(spec.GuildRoleResponseSchema, 'POST', `${guild}/roles`, { body: { name: 'A', permissions: '0' } });
    await check(spec.GuildRoleResponseSchema, 'PATCH', `${guild}/roles/${role.id}`, { body: { name: 'B' } });
    await check(spec.GuildRoleResponseSchema, 'GET', `${guild}/roles/${role.id}`);
    await check(list(spec.GuildRoleResponseSchema), 'GET', `${guild}/roles`);
    await check(list(spec.GuildRoleResponseSchema), 'PATCH', `${guild}/roles`, { body: [{ id: role.id, position: 1 }] });
    await check(spec.GuildMemberResponseSchema, 'PATCH', `${guild}/members/${discord.member}`, { body: { roles: [role.id] } });
    const made = { body: { name: 'verify', topic: 'x' }, status: 201 };
    const channel = await check(spec.GuildChannelResponseSchema, 'POST', `${guild}/channels`, made);
    await check(list(spec.GuildChannelResponseSchema), 'GET', `${guild}/channels`);
    await check(spec.GuildChannelResponseSchema, 'GET', `/channels/${channel.id}`);
    await check(spec.GuildChannelResponseSchema, 'DELETE', `/channels/${channel.id}`);
  },

  'knows messages': async () => {
    const embed = { title: 'Linked', color: 1, fields: [{ name: 'Country', value: 'DE' }], footer: { text: 'x' } };
    const button = { type: 2, style: 1, label: 'Verify', custom_id: 'verify' };
    const body = { content: 'x', embeds: [embed], components: [{ type: 1, components: [button] }], nonce: '1' };
    const { id } = await check(spec.MessageResponseSchema, 'POST', messages, { body });
    await check(spec.MessageResponseSchema, 'PATCH', `${messages}/${id}`, { body: { content: 'y' } });
    await check(spec.MessageResponseSchema, 'GET', `${messages}/${id}`);
    await check(list(spec.MessageResponseSchema), 'GET', messages);
  },

  'knows commands and interactions': async () => {
    const user = { name: 'user', description: 'The person', type: 6, required: true };
    const body = [{ name: 'whois', description: 'Who is that?', options: [user] }];
    await check(list(spec.ApplicationCommandResponseSchema), 'PUT', commands, { body });
    await check(list(spec.ApplicationCommandResponseSchema), 'GET', commands);
    const link = { body: { name: 'link', description: 'Link' }, status: 201 };
    await check(spec.ApplicationCommandResponseSchema, 'POST', commands, link);
    const client = new Client({
      intents: [GatewayIntentBits.Guilds],
      rest: { api: discord.api.replace(/\/v10$/, ''), version: '10' },
    });
    const ready = once(client, Events.ClientReady);
    await client.login(discord.token);
    await ready;
    const use = {
      application_id: discord.bot,
      guild_id: discord.guild,
      channel_id: discord.channel,
      user_id: discord.member,
      command: { name: 'link' },
    };
    let token;
    for (const type of [4, 5]) {
      const interaction = await control(discord.control, 'POST', 'interactions', use);
      token = interaction.token;
      const callback = `/interactions/${interaction.id}/${token}/callback?with_response=true`;
      await check(spec.InteractionCallbackResponseSchema, 'POST', callback, { body: { type, data: { content: 'x', flags: 64 } } });
    }
    const webhook = `/webhooks/${discord.bot}/${token}`;
    await check(spec.MessageResponseSchema, 'PATCH', `${webhook}/messages/@original`, { body: { content: 'x' } });
    await check(spec.MessageResponseSchema, 'GET', `${webhook}/messages/@original`);
    await check(spec.MessageResponseSchema, 'POST', webhook, { body: { content: 'y' } });
    await client.destroy();
  },

  'knows the gateway': async () => {
    await check(spec.GatewayResponseSchema, 'GET', '/gateway');
    await check(spec.GatewayBotResponseSchema, 'GET', '/gateway/bot');
  },

  'knows refusals': async () => {
    await check(spec.ErrorResponseSchema, 'GET', `${guild}/members/1`, { status: 404 });
    await check(spec.ErrorResponseSchema, 'GET', guild, { authorization: 'Bot wrong', status: 401 });
    // The description does not have the tree of errors as Discord sends it.
    await check(spec.ErrorSchema, 'POST', messages, { body: { content: 'x'.repeat(2001) }, status: 400 });
  },
});
