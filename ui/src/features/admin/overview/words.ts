// The state of the installation in short.

import { count, list, number } from '$lib/format';

/** "1,204 jobs pending, 3 of them failing". */
export function jobsNow(kinds: ReadonlyArray<{ jobs: number; failed: number }>): string {
  const jobs = kinds.reduce((sum, one) => sum + one.jobs, 0);
  const failed = kinds.reduce((sum, one) => sum + one.failed, 0);
  if (jobs === 0) return 'Nothing is pending';
  return `${count(jobs, 'job')} pending${failed > 0 ? `, ${number(failed)} of them failing` : ''}`;
}

/** "41 online, 2 paused and 1 failed". */
export function botsNow(states: ReadonlyArray<{ state: string; bots: number }>): string {
  return list(states.filter((one) => one.bots > 0).map((one) => `${number(one.bots)} ${one.state}`)) || 'None yet';
}

/** "1,204 sessions, 310 of them idle". */
export function sessionsNow({ living, idle }: { living: number; idle: number }): string {
  return `${count(living, 'session')}${idle > 0 ? `, ${number(idle)} of them idle` : ''}`;
}
