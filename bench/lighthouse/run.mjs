// Lighthouse's view of the pages on a slow phone, against a release build in its sandbox. Figures for the report of a
// measurement: what a machine is busy with besides shows in them.
//
//   node bench/lighthouse/run.mjs BINARY CHROMIUM [FOLDER FOR THE FULL REPORTS]

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { guild, person, startSandbox } from '../../tests/e2e/sandbox.mjs';

const [binary, chromePath, folder] = process.argv.slice(2);
const ROUNDS = 3;
const KINDS = ['performance', 'accessibility', 'best-practices'];
const FLAGS = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'];

// Somebody who signs in by choosing themselves on the emulated page of Discord.
async function signIn(base, id) {
  const jar = new Map([['sandbox_as', id]]);
  let url = `${base}/auth/discord/login`;
  for (let hops = 0; hops < 8; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      jar.set(name, value);
    }
    const next = reply.headers.get('location');
    if (!next) break;
    url = new URL(next, url).href;
  }
  jar.delete('sandbox_as');
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

async function invitation(base, org, cookie) {
  const body = JSON.stringify({ role: 'staff', permissions: ['links.view'], expires: '7d' });
  const headers = { cookie, 'content-type': 'application/json', origin: base };
  const reply = await fetch(`${base}/api/orgs/${org}/invites`, { method: 'POST', headers, body });
  if (!reply.ok) throw new Error(`no invitation: ${reply.status} ${await reply.text()}`);
  return (await reply.json()).url;
}

async function judge(url, cookie, name) {
  const scores = [];
  for (let round = 0; round < ROUNDS; round++) {
    const chrome = await launch({ chromePath, chromeFlags: FLAGS, logLevel: 'silent' });
    try {
      const extraHeaders = cookie ? { Cookie: cookie } : undefined;
      const found = await lighthouse(url, { port: chrome.port, onlyCategories: KINDS, extraHeaders, logLevel: 'silent' });
      const { categories, audits, finalDisplayedUrl } = found.lhr;
      if (folder) writeFileSync(join(folder, `${name}-${round}.json`), JSON.stringify(found.lhr));
      const score = (kind) => Math.round(categories[kind].score * 100);
      scores.push({
        url: finalDisplayedUrl,
        scores: KINDS.map(score),
        paint: Math.round(audits['largest-contentful-paint'].numericValue),
        blocked: Math.round(audits['total-blocking-time'].numericValue),
        shift: audits['cumulative-layout-shift'].numericValue,
        bytes: Math.round(audits['total-byte-weight'].numericValue / 1024),
      });
    } finally {
      await chrome.kill();
    }
  }
  return scores.sort((a, b) => a.scores[0] - b.scores[0])[ROUNDS >> 1];
}

const sandbox = await startSandbox(binary);
try {
  const { world } = sandbox;
  const base = world.base_url;
  const cookie = await signIn(base, person(world, 'Ada').discord_id);
  const org = world.orgs.find((org) => org.guilds.length > 0);
  const { slug } = org.guilds[0];
  const pages = [
    ['link', `${base}/link/${guild(world, slug).slug}`, null, [100, 100, 100]],
    ['unlink', `${base}/unlink/${slug}`, null, [100, 100, 100]],
    ['invite', await invitation(base, org.id, cookie), null, [100, 100, 100]],
    ['docs', `${base}/docs`, null, [100, 100, 100]],
    ['app', `${base}/app/`, cookie, [95, 100, 100]],
    ['overview', `${base}/app/orgs/${org.id}`, cookie, [95, 100, 100]],
  ];
  console.log(`\nLighthouse, mobile, the middle of ${ROUNDS} rounds`);
  console.log('page       performance  accessibility  best practices  wanted        largest paint  blocked   shift  transferred');
  for (const [name, url, cookie, wanted] of pages) {
    const found = await judge(url, cookie, name);
    const [fast, accessible, good] = found.scores;
    const met = found.scores.every((score, index) => score >= wanted[index]);
    console.log(
      [
        name.padEnd(10), String(fast).padStart(11), String(accessible).padStart(14), String(good).padStart(15),
        ` ${wanted.join('/')}`.padEnd(13), `${found.paint} ms`.padStart(14), `${found.blocked} ms`.padStart(8),
        found.shift.toFixed(3).padStart(7), `${found.bytes} kB`.padStart(12), met ? '' : '  MISSED',
      ].join(' '),
    );
    if (new URL(found.url).pathname !== new URL(url).pathname) console.log(`           ended at ${found.url}`);
  }
} finally {
  await sandbox.stop();
}
