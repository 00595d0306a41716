// The one way to the server. Operations, their parameters, bodies and answers come from schema.ts.

import { keepDrafts } from '../drafts.svelte';
import { sentence } from '../format';
import { session, signInAddress } from '../session.svelte';
import { REPEATABLE } from './repeatable';
import type { Operations } from './operations';

export type Operation = keyof Operations;
export type Answer<O extends Operation> = Operations[O]['answer'];

type Part<Name extends string, T> = [T] extends [undefined]
  ? object
  : keyof T extends never
    ? object
    : Partial<T> extends T
      ? { [K in Name]?: T }
      : { [K in Name]: T };
export type Input<O extends Operation> = Part<'path', Operations[O]['path']> &
  Part<'query', Operations[O]['query']> &
  Part<'body', Operations[O]['body']> & Manner;

interface Manner {
  signal?: AbortSignal;
  /** The page asks by itself, as reads do: it asks for a sign-in once and not with every call. */
  unasked?: boolean;
}

interface Loose extends Manner {
  path?: Record<string, string>;
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
}

/** A refusal of the server, or the lack of an answer. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null = null,
    /** What else the answer said, such as `permission`, `dimension`, `limit`, `parameter`, `invite_url`. */
    readonly extra: Record<string, unknown> = {},
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  text(name: string): string | null {
    const value = this.extra[name];
    return typeof value === 'string' ? value : null;
  }

  get permission(): string | null {
    return this.text('permission');
  }

  get field(): string | null {
    return this.text('parameter');
  }

  /** The text without the name of the field, for showing right under it. */
  get fieldText(): string {
    const text = this.message.replace(`${this.field}: `, '');
    return sentence(/[.!?]$/.test(text) ? text : `${text}.`);
  }

  /** True when the page itself shows what to do: there is nothing to add in a note. */
  get handled(): boolean {
    return this.code === 'SIGN_IN_AGAIN' || this.code === 'SIGN_IN_REQUIRED' || this.code === 'MAINTENANCE';
  }
}

type Arguments<O extends Operation> = object extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

/** Calls an operation: `call('GET /orgs/{org}/servers', { path: { org } })`. */
export async function call<O extends Operation>(operation: O, ...[input]: Arguments<O>): Promise<Answer<O>> {
  return (await send(operation, (input ?? {}) as Loose)) as Answer<O>;
}

/** The address of an operation, for plain links such as downloads. */
export function address(path: string, values: Record<string, string>, query: Loose['query'] = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return `/api${filled}${text ? `?${text}` : ''}`;
}

/** Keys of presses whose outcome is not known. The same press again gets the same key, and so makes nothing twice. */
const pressed = new Map<string, string>();

function keyOf(press: string): string {
  const known = pressed.get(press);
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  pressed.set(press, key);
  return key;
}

async function send(operation: string, input: Loose): Promise<unknown> {
  const [method = 'GET', path = '/'] = operation.split(' ');
  const reading = method === 'GET';
  const press = REPEATABLE.has(operation) ? JSON.stringify([operation, input.path, input.body]) : null;
  const answer = await reach(address(path, input.path ?? {}, input.query), {
    method,
    headers: {
      accept: 'application/json',
      ...(reading ? {} : { 'content-type': 'application/json' }),
      ...(press ? { 'idempotency-key': keyOf(press) } : {}),
    },
    // The content type is what tells a call of ours from a form of somebody else, so there is always a body.
    body: reading ? undefined : JSON.stringify(input.body ?? {}),
    signal: input.signal,
  });
  // An answer decides what became of a press; the next one is new. A failure of the server may have been too late.
  if (press && answer.status < 500 && answer.status !== 408) pressed.delete(press);
  if (answer.status === 204) return undefined;
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body;
  const error = failure(answer, body);
  interrupt(error, reading || input.unasked === true, path);
  throw error;
}

interface Sent<O extends Operation> {
  path: Operations[O]['path'];
  query: Operations[O]['query'];
  file: Blob;
  /** How many bytes have left so far. */
  sent: (bytes: number) => void;
}

/** Sends a file as it is, and tells how far it is: `fetch` does not. */
export async function upload<O extends Operation>(operation: O, { path: values, query, file, sent }: Sent<O>): Promise<Answer<O>> {
  const [method = 'POST', path = '/'] = operation.split(' ');
  const answer = await new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address(path, values as Record<string, string>, query as Loose['query']));
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onerror = () => reject(new ApiError(0, 'NO_ANSWER', 'The upload was interrupted. Check your connection and try again.'));
    request.onload = () => {
      const headers = ['x-request-id', 'retry-after'].flatMap((name): Array<[string, string]> => {
        const value = request.getResponseHeader(name);
        return value === null ? [] : [[name, value]];
      });
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.send(file);
  });
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body as Answer<O>;
  const error = failure(answer, body);
  interrupt(error, false, path);
  throw error;
}

/**
 * Fetches a file and hands it to the browser. A plain link would put a refusal in the place of the page, and a file that
 * broke off would look whole.
 */
export async function download(path: string, values: Record<string, string>, query: Loose['query'] = {}): Promise<void> {
  const answer = await reach(address(path, values, query), {});
  if (!answer.ok) {
    const error = failure(answer, await answer.json().catch(() => null));
    interrupt(error, false, path);
    throw error;
  }
  const file = await answer.blob().catch(() => null);
  if (file === null) throw new ApiError(0, 'NO_ANSWER', 'The download was interrupted and nothing was saved. Try again.');
  handOver(file, /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '');
}

/** Has the browser save what is in memory. */
export function handOver(file: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  // What was asked before the session ended may be answered after it, and says nothing about now.
  const wasOut = session.signedOut;
  try {
    const answer = await fetch(url, { credentials: 'same-origin', ...request });
    if (answer.ok && wasOut && session.signedOut) session.resume();
    return answer;
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new ApiError(0, 'NO_ANSWER', 'We couldn’t reach the server. Check your connection and try again.');
  }
}

function failure(answer: Response, body: unknown): ApiError {
  const found = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { status: _, code, message, request_id, ...extra } = found;
  return new ApiError(
    answer.status,
    typeof code === 'string' ? code : 'UNREADABLE',
    typeof message === 'string' ? message : 'We couldn’t read the server’s response. Try again in a moment.',
    typeof request_id === 'string' ? request_id : answer.headers.get('x-request-id'),
    extra,
    Number(answer.headers.get('retry-after')) || null,
  );
}

/** What concerns the whole page, whoever asked. */
function interrupt(error: ApiError, unasked: boolean, path: string) {
  if (error.code === 'SIGN_IN_AGAIN') session.asks = 'again';
  else if (error.code === 'SIGN_IN_REQUIRED') {
    if (session.me) session.end(unasked ? 'by itself' : 'by the person');
    else location.assign(signInAddress()); // there is nothing on the page yet
  } else if (error.code === 'MAINTENANCE') {
    if (session.maintenance === null) keepDrafts(); // the card takes the place of the page
    session.maintenance = error.message;
  } else if ((error.status === 403 || error.status === 404) && path.startsWith('/orgs/{org}')) session.refusals += 1;
}
