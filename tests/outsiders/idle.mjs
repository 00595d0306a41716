// The smallest bot that discord.js can be: it signs in, and stays. What it costs is what ours are compared with.
import { Client, Events, GatewayIntentBits } from 'discord.js';

const { API, TOKEN } = process.env;
const rest = { api: API.replace(/\/v10$/, ''), version: '10' };
const client = new Client({ intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers], rest });
client.once(Events.ClientReady, () => console.log('ready'));
await client.login(TOKEN);
