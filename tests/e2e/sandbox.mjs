// A running `symbolon serve --sandbox`, and what its world looks like.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

export async function startSandbox(binary) {
  const data = mkdtempSync(join(tmpdir(), 'symbolon-e2e-'));
  const listen = `127.0.0.1:${await freePort()}`;
  const child = spawn(binary, ['serve', '--sandbox', '--data', data, '--listen', listen], {
    env: { ...process.env, SYMBOLON_SERVER_METRICS_LISTEN: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await answers(child, `http://${listen}/readyz`, () => errors);
  } catch (error) {
    await stop();
    throw error;
  }
  const file = join(data, 'sandbox.json');
  if (!existsSync(file)) throw new Error(`${file} was not written`);
  return { world: JSON.parse(readFileSync(file, 'utf8')), data, stop };
}

async function answers(child, url, errors) {
  const until = Date.now() + PATIENCE_MS;
  while (child.exitCode === null && Date.now() < until) {
    const reply = await fetch(url).catch(() => null);
    if (reply?.ok) return;
    await pause(50);
  }
  throw new Error(`the sandbox did not come up: ${errors()}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function person(world, name) {
  const found = world.people.find((person) => person.name === name);
  if (!found) throw new Error(`nobody is called ${name}`);
  return found;
}

export function guild(world, slug) {
  const found = world.orgs.flatMap((org) => org.guilds).find((guild) => guild.slug === slug);
  if (!found) throw new Error(`no Guild is called ${slug}`);
  return found;
}

// The Discord id that a game server is told for this Steam id, or null.
export async function linkedTo(world, slug, steamId) {
  const [{ key }] = guild(world, slug).servers;
  const reply = await fetch(`${world.base_url}/api?action=findBySteam&id=${steamId}`, { headers: { 'x-api-key': key } });
  return reply.status === 200 ? reply.json() : null;
}
