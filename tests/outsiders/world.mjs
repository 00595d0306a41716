// Where the emulators are, and how their control interface is called.
import assert from 'node:assert/strict';

export const world = JSON.parse(process.env.EMULATORS);

/** Calls a control route; the answer is JSON or nothing. */
export async function control(base, method, path, body) {
  const response = await fetch(`${base}/${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Waits until `condition` returns something true; says what was awaited when it never does. */
export async function until(what, condition) {
  const end = Date.now() + 15_000;
  for (;;) {
    const found = await condition();
    if (found) return found;
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The next time `emitter` says `name` in a way that `matches`. */
export function once(emitter, name, matches = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`waited in vain: ${name}`)), 15_000);
    const listen = (...values) => {
      if (!matches(...values)) return;
      clearTimeout(timer);
      emitter.off(name, listen);
      resolve(values[0]);
    };
    emitter.on(name, listen);
  });
}

/** Runs the steps in order and prints their names; a failure ends the program with an error. */
export async function judge(name, steps) {
  for (const [what, step] of Object.entries(steps)) {
    try {
      await step();
    } catch (error) {
      console.error(`${name}: ${what}: FAILED`);
      console.error(error);
      process.exit(1);
    }
    console.log(`${name}: ${what}`);
  }
}
