// discord.js lives on the Discord emulator.
import assert from 'node:assert/strict';
import {
  ActionRowBuilder,
  ActivityType,
  ButtonBuilder,
  ButtonStyle,
  Client,
  EmbedBuilder,
  Events,
  GatewayIntentBits,
  MessageFlags,
  SlashCommandBuilder,
} from 'discord.js';
import { control, judge, once, until, world } from './world.mjs';

const { discord } = world;
const origin = new URL(discord.api).origin;
const rest = { api: discord.api.replace(/\/v10$/, ''), cdn: origin, version: '10', retries: 0 };
const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers, GatewayIntentBits.GuildMessages];
const client = new Client({ intents, rest });
const call = (method, path, body) => control(discord.control, method, path, body);
const person = { application_id: discord.bot, guild_id: discord.guild, channel_id: discord.channel, user_id: discord.member };

let guild, channel, role;

/** A person does something; what the bot said to it. */
async function interact(what, isDone) {
  const { id } = await call('POST', 'interactions', { ...person, ...what });
  return until('an answer to the interaction', async () => {
    const record = await call('GET', `interactions/${id}`);
    return isDone(record) && record;
  });
}

await judge('discord.js', {
  'refuses to sign in with a wrong token': async () => {
    const stranger = new Client({ intents: [], rest });
    await assert.rejects(stranger.login('wrong.token.here'), { code: 'TokenInvalid' });
  },

  'is told that an intent is not granted': async () => {
    const greedy = new Client({ intents: [GatewayIntentBits.GuildPresences], rest });
    const failed = new Promise((resolve) => greedy.once(Events.Error, resolve));
    const refused = await Promise.race([greedy.login(discord.token).then(() => failed, (error) => error), failed]);
    assert.match(String(refused), /disallowed intents/i);
    await greedy.destroy();
  },

  'signs in and sees its guild': async () => {
    const ready = once(client, Events.ClientReady);
    await client.login(discord.token);
    await ready;
    assert.equal(client.user.id, discord.bot);
    guild = client.guilds.cache.get(discord.guild);
    assert.equal(guild.name, 'Ashfall');
    assert.equal(guild.ownerId, discord.owner);
    channel = guild.channels.cache.get(discord.channel);
    assert.equal(channel.name, 'log');
  },

  'sets its presence': async () => {
    client.user.setPresence({ activities: [{ name: '3 linked accounts', type: ActivityType.Watching }] });
    await until('the presence', async () => {
      const { sessions } = await call('GET', 'gateway');
      return sessions.some((one) => one.connected && one.presence?.activities?.[0]?.name === '3 linked accounts');
    });
  },

  'creates a role, gives it and takes it': async () => {
    role = await guild.roles.create({ name: 'Linked', colors: { primaryColor: 0x2ecc71 }, permissions: [] });
    assert.ok(role.editable);
    const member = await guild.members.fetch(discord.member);
    const given = once(client, Events.GuildMemberUpdate, (_, now) => now.roles.cache.has(role.id));
    await member.roles.add(role);
    await given;
    const { guilds } = await call('GET', 'state');
    assert.deepEqual(guilds[discord.guild].members[discord.member].roles, [role.id]);
    const taken = once(client, Events.GuildMemberUpdate, (_, now) => !now.roles.cache.has(role.id));
    await member.roles.remove(role);
    await taken;
  },

  'may not give a role above its own': async () => {
    const high = guild.roles.cache.get(discord.high_role);
    assert.equal(high.editable, false);
    const member = await guild.members.fetch(discord.member);
    await assert.rejects(member.roles.add(high), { code: 50013, status: 403 });
  },

  'asks for all members': async () => {
    const members = await guild.members.fetch();
    assert.deepEqual([...members.keys()].sort(), [discord.owner, discord.member, discord.bot].sort());
  },

  'hears of changes that others make': async () => {
    const heard = once(client, Events.GuildMemberUpdate, (_, now) => now.nickname === 'Bru');
    const members = { [discord.member]: { nick: 'Bru' } };
    await call('PATCH', 'state', { guilds: { [discord.guild]: { members } } });
    assert.equal((await heard).id, discord.member);
  },

  'hears what people write': async () => {
    const heard = once(client, Events.MessageCreate, ({ author }) => author.id === discord.member);
    const said = { channel_id: discord.channel, user_id: discord.member, content: 'Good evening' };
    const { id } = await call('POST', 'messages', said);
    assert.equal((await heard).id, id);
  },

  'sees who boosts': async () => {
    const members = { [discord.member]: { premium_since: '2026-01-01T00:00:00Z' } };
    await call('PATCH', 'state', { guilds: { [discord.guild]: { members } } });
    // The client takes it from the event, but counts it as no change.
    const member = guild.members.cache.get(discord.member);
    await until('the boost', () => member.premiumSince?.toISOString() === '2026-01-01T00:00:00.000Z');
  },

  'fetches pictures': async () => {
    const heard = once(client, Events.GuildUpdate, (_, now) => now.icon !== null);
    await call('PATCH', 'state', { guilds: { [discord.guild]: { icon: 'a1b2c3' } } });
    await heard;
    for (const extension of ['png', 'webp']) {
      const response = await fetch(guild.iconURL({ extension, size: 64 }));
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, `image/${extension}`]);
    }
    assert.equal((await fetch(client.user.displayAvatarURL())).status, 200);
  },

  'runs as a second bot that a person made': async () => {
    const body = new URLSearchParams({ name: 'Night Watch' });
    const page = await fetch(`${origin}/developers/applications`, { method: 'POST', body });
    const [, token] = /Bot token<\/dt><dd><code>([^<]+)/.exec(await page.text());
    const second = new Client({ intents: [GatewayIntentBits.Guilds], rest });
    const ready = once(second, Events.ClientReady);
    await second.login(token);
    await ready;
    assert.equal(second.user.username, 'Night Watch');
    const { attempts, overlaps } = await call('GET', 'gateway');
    assert.deepEqual([attempts[token], attempts[discord.token], overlaps], [1, 2, []]);
    await second.destroy();
  },

  'sends an embed that pings nobody': async () => {
    const embed = new EmbedBuilder().setTitle('Linked').setColor(0x2ecc71).addFields({ name: 'Country', value: 'DE' });
    const message = await channel.send({
      content: `<@${discord.member}>`,
      embeds: [embed],
      allowedMentions: { parse: [] },
    });
    assert.equal(message.mentions.users.size, 0);
    const { messages } = await call('GET', 'state');
    assert.equal(messages[discord.channel].at(-1).embeds[0].color, 0x2ecc71);
    const edited = await message.edit({ content: 'edited' });
    assert.equal(edited.content, 'edited');
    assert.equal((await channel.messages.fetch({ limit: 1 })).first().id, message.id);
    await message.delete();
  },

  'is refused what is too long': async () => {
    await assert.rejects(channel.send('x'.repeat(2001)), { code: 50035, status: 400 });
  },

  'registers commands': async () => {
    const whois = new SlashCommandBuilder()
      .setName('whois')
      .setDescription('Who is that?')
      .addUserOption((option) => option.setName('user').setDescription('The person').setRequired(true));
    const link = new SlashCommandBuilder().setName('link').setDescription('Link your accounts');
    const commands = await guild.commands.set([whois, link]);
    assert.equal(commands.size, 2);
    assert.equal((await guild.commands.fetch()).size, 2);
  },

  'answers a command for one person only': async () => {
    client.once(Events.InteractionCreate, async (interaction) => {
      assert.ok(interaction.isChatInputCommand());
      const user = interaction.options.getUser('user');
      await interaction.reply({ content: `It is ${user.username}`, flags: MessageFlags.Ephemeral });
    });
    const options = [{ name: 'user', value: discord.owner }];
    const record = await interact({ command: { name: 'whois', options } }, ({ messages }) => messages.length > 0);
    assert.equal(record.messages[0].content, 'It is ada');
    assert.equal(record.messages[0].flags, 64);
  },

  'promises an answer, gives it, and adds to it': async () => {
    client.once(Events.InteractionCreate, async (interaction) => {
      await interaction.deferReply();
      await interaction.editReply('Here it is');
      await interaction.followUp({ content: 'And more', flags: MessageFlags.Ephemeral });
      assert.equal((await interaction.fetchReply()).content, 'Here it is');
    });
    const record = await interact({ command: { name: 'link' } }, ({ messages }) => messages.length === 2);
    assert.deepEqual(record.messages.map(({ content }) => content), ['Here it is', 'And more']);
  },

  'answers a button': async () => {
    const button = new ButtonBuilder().setCustomId('verify').setLabel('Verify').setStyle(ButtonStyle.Primary);
    const panel = await channel.send({ content: 'Panel', components: [new ActionRowBuilder().addComponents(button)] });
    client.once(Events.InteractionCreate, async (interaction) => {
      assert.ok(interaction.isButton());
      assert.equal(interaction.message.id, panel.id);
      await interaction.update({ content: 'Pressed', components: [] });
    });
    const component = { message_id: panel.id, custom_id: 'verify' };
    await interact({ component }, ({ callback }) => callback !== null);
    assert.equal((await channel.messages.fetch({ message: panel.id, force: true })).content, 'Pressed');
  },

  'keeps to the rate limits by their headers': async () => {
    await call('DELETE', 'calls');
    await Promise.all(Array.from({ length: 7 }, (_, index) => channel.send(`message ${index}`)));
    const statuses = await call('GET', 'statuses');
    assert.deepEqual(statuses, { 200: 7 });
  },

  'waits when it is told to': async () => {
    const route = 'GET /api/v10/guilds/{guild}/roles';
    await call('POST', 'faults', { route, fault: 'rate_limit', times: 1 });
    const begun = Date.now();
    await guild.roles.fetch(undefined, { force: true });
    assert.ok(Date.now() - begun >= 1000);
  },

  'resumes after a lost connection and hears what it missed': async () => {
    const resumed = once(client, Events.ShardResume);
    const heard = once(client, Events.GuildRoleUpdate, (_, now) => now.name === 'Renamed');
    assert.deepEqual(await call('POST', 'gateway', { application_id: discord.bot, action: 'drop' }), { sessions: 1 });
    const roles = { [role.id]: { name: 'Renamed' } };
    await call('PATCH', 'state', { guilds: { [discord.guild]: { roles } } });
    await Promise.all([resumed, heard]);
    const { identifies, resumes, overlaps } = await call('GET', 'gateway');
    assert.deepEqual([identifies[discord.bot], resumes[discord.bot], overlaps], [1, 1, []]);
  },

  'comes back when it is asked to reconnect': async () => {
    const resumed = once(client, Events.ShardResume);
    await call('POST', 'gateway', { application_id: discord.bot, action: 'reconnect' });
    await resumed;
    assert.equal((await call('GET', 'gateway')).identifies[discord.bot], 1);
  },

  'identifies anew when its session is over': async () => {
    const ready = once(client, Events.ShardReady);
    await call('POST', 'gateway', { application_id: discord.bot, action: 'invalid_session' });
    await ready;
    assert.equal((await call('GET', 'gateway')).identifies[discord.bot], 2);
  },

  'leaves': async () => {
    await client.destroy();
    await until('the end of the session', async () => {
      const { sessions } = await call('GET', 'gateway');
      return sessions.every(({ connected }) => !connected);
    });
  },
});
