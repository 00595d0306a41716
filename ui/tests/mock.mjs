// Serves dist/ under /app/ as the server would, with made-up data behind it.
//
//     npm run build && npm run mock      http://127.0.0.1:4173/app/
//
// The cookie `mock` chooses another world: empty, fresh, operating, calm_operating, visiting, visiting_to_change, announced, invited, calm roles_only, viewer, cleaner, keeper, payer, unsold, over, late, given, botkeeper, bot_… (see fixtures.mjs and fixtures-bots.mjs), error, maintenance, again.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PAGE_STYLE, READS, WORLDS, WRITES } from './fixtures.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.svg': 'image/svg+xml' };
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html link-page-preview',
].join('; ');

export function mock() {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://mock');
    if (url.pathname.startsWith('/api/')) return api(request, response, url.pathname.slice(4), url.searchParams);
    if (url.pathname === '/app' || url.pathname.startsWith('/app/')) return file(response, url.pathname.slice(5));
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
  });
}

function file(response, path) {
  const found = join(DIST, normalize(path));
  const isFile = extname(path) !== '' && found.startsWith(DIST) && existsSync(found);
  if (!isFile && path.startsWith('assets/')) return response.writeHead(404).end();
  const shown = isFile ? found : join(DIST, 'index.html');
  response.writeHead(200, { 'content-type': TYPES[extname(shown)] ?? 'application/octet-stream', 'content-security-policy': POLICY });
  createReadStream(shown).pipe(response);
}

function api(request, response, path, query) {
  const world = /(?:^|; )mock=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const send = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const fail = (status, code, message, extra = {}) => send(status, { status, code, message, request_id: 'req_01JCMOCK7Z3', ...extra });

  if (world === 'maintenance') return fail(503, 'MAINTENANCE', 'We are moving to a larger database. Back at about 14:00 UTC.');
  if (world === 'error' && path !== '/account') return fail(500, 'INTERNAL', 'Something broke on our side. Try again in a moment.');
  if (request.method === 'GET') {
    const answer = WORLDS[world]?.[path] ?? READS[path];
    if (!answer) return fail(404, 'NOT_FOUND', 'There is no such thing.');
    return send(200, typeof answer === 'function' ? answer(query) : answer);
  }
  if (!['application/json', 'application/octet-stream'].includes(request.headers['content-type'])) return fail(415, 'WRONG_TYPE', 'Send JSON.');
  if (world === 'again') return fail(403, 'SIGN_IN_AGAIN', 'Sign in again to do this.');
  const [status, body] = WRITES[`${request.method} ${path}`] ?? [204];
  return send(status, body);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  mock().listen(4173, '127.0.0.1', () => console.log('http://127.0.0.1:4173/app/'));
}
