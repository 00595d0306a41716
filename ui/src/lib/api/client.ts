// The one way to the server. Operations, their parameters, bodies and answers come from schema.ts.

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
  Part<'body', Operations[O]['body']> & { signal?: AbortSignal };

interface Loose {
  path?: Record<string, string>;
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
  signal?: AbortSignal;
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
  let answer: Response;
  try {
    answer = await fetch(address(path, input.path ?? {}, input.query), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(reading ? {} : { 'content-type': 'application/json' }),
        ...(press ? { 'idempotency-key': keyOf(press) } : {}),
      },
      // The content type is what tells a call of ours from a form of somebody else, so there is always a body.
      body: reading ? undefined : JSON.stringify(input.body ?? {}),
      signal: input.signal,
    });
  } catch (cause) {
    if (input.signal?.aborted) throw cause;
    throw new ApiError(0, 'NO_ANSWER', 'The server could not be reached. Check your connection, then try again.');
  }
  // An answer decides what became of a press; the next one is new. A failure of the server may have been too late.
  if (press && answer.status < 500 && answer.status !== 408) pressed.delete(press);
  if (answer.status === 204) return undefined;
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body;
  throw failure(answer, body);
}

function failure(answer: Response, body: unknown): ApiError {
  const found = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { status: _, code, message, request_id, ...extra } = found;
  const error = new ApiError(
    answer.status,
    typeof code === 'string' ? code : 'UNREADABLE',
    typeof message === 'string' ? message : 'The server sent an answer that could not be read. Try again in a moment.',
    typeof request_id === 'string' ? request_id : answer.headers.get('x-request-id'),
    extra,
    Number(answer.headers.get('retry-after')) || null,
  );
  interrupt(error);
  return error;
}

function interrupt(error: ApiError) {
  if (error.code === 'SIGN_IN_REQUIRED') location.assign(signInAddress());
  if (error.code === 'SIGN_IN_AGAIN') session.signInAgain = true;
  if (error.code === 'MAINTENANCE') session.maintenance = error.message;
}
