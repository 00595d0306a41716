// The state of the installation in short.

import { count, list } from '$lib/format';

/** "1,204 pending, 3 failing". */
export function jobsNow(kinds: ReadonlyArray<{ jobs: number; failed: number }>): string {
  const jobs = kinds.reduce((sum, one) => sum + one.jobs, 0);
  const failed = kinds.reduce((sum, one) => sum + one.failed, 0);
  if (jobs === 0) return 'Nothing is pending';
  return `${count(jobs, 'job')} pending${failed > 0 ? `, ${count(failed, 'failing one')}` : ''}`;
}

/** "41 online, 2 paused and 1 failed". */
export function botsNow(states: ReadonlyArray<{ state: string; bots: number }>): string {
  return list(states.filter((one) => one.bots > 0).map((one) => `${count(one.bots, one.state, one.state)}`)) || 'None yet';
}
