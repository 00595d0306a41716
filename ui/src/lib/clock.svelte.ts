// One clock for every "3 minutes ago" on the page.

const EVERY_MS = 30_000;

class Clock {
  now = $state(Date.now());

  /** Ticks until the returned function is called. */
  start(): () => void {
    const timer = setInterval(() => (this.now = Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }
}

export const clock = new Clock();
