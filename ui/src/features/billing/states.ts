// The states of a subscription, as people read them.

import type { SubscriptionStatus } from '$lib/api/schema';
import type { Tone } from '$lib/ui/types';

interface State {
  word: string;
  tone: Tone;
  /** After "The subscription". */
  told: string;
  /** It will never be anything else. */
  over?: true;
}

const STATES: Record<SubscriptionStatus, State> = {
  active: { word: 'Active', tone: 'ok', told: 'is active' },
  trialing: { word: 'Trial', tone: 'info', told: 'is on trial' },
  past_due: { word: 'Payment late', tone: 'warn', told: 'is late with a payment' },
  unpaid: { word: 'Unpaid', tone: 'bad', told: 'is unpaid' },
  paused: { word: 'Paused', tone: 'neutral', told: 'is paused' },
  incomplete: { word: 'Incomplete', tone: 'warn', told: 'is missing its first payment' },
  incomplete_expired: { word: 'Expired', tone: 'neutral', told: 'expired without a payment', over: true },
  canceled: { word: 'Cancelled', tone: 'neutral', told: 'has ended', over: true },
  unknown: { word: 'Unknown', tone: 'neutral', told: 'is in a state that Symbolon doesn’t know' },
};

/** A newer server may know a state that this page does not. */
export function stateOf(status: string): State {
  return Object.hasOwn(STATES, status) ? STATES[status as SubscriptionStatus] : STATES.unknown;
}
