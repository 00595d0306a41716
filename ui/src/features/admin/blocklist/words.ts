// What can be blocked, and how it is written.

import { discordIdIn } from '../words';
import type { Block } from '../types';

export type Kind = 'discord' | 'steam' | 'network';

export const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'discord', label: 'Discord accounts' },
  { value: 'steam', label: 'Steam accounts' },
  { value: 'network', label: 'Networks' },
] as const satisfies ReadonlyArray<{ value: Kind | ''; label: string }>;

const LABELS: Record<string, string> = { discord: 'Discord account', steam: 'Steam account', network: 'Network' };

/** A newer server may know a kind that this page does not. */
export function kindLabel(kind: string): string {
  return LABELS[kind] ?? kind;
}

export function kindIn(text: string | null): Kind | '' {
  return KINDS.find(({ value }) => value === text)?.value ?? '';
}

export function nameOf(block: Pick<Block, 'value'>): string {
  return block.value ?? 'an erased account';
}

/** What is sent for what was typed; null when it cannot be right. The server knows networks better. */
export function valueOf(kind: Kind, text: string): string | null {
  const typed = text.trim();
  switch (kind) {
    case 'discord':
      return discordIdIn(typed);
    case 'steam':
      return /^(?:https?:\/\/steamcommunity\.com\/profiles\/)?(7656119\d{10})\/?$/.exec(typed)?.[1] ?? null;
    case 'network':
      return /^[0-9a-f:.]{2,45}(\/\d{1,3})?$/i.test(typed) && /[.:]/.test(typed) ? typed : null;
  }
}

const EXPECTED: Record<Kind, string> = {
  discord: 'Enter a Discord ID. It has 17 to 20 digits.',
  steam: 'Enter a SteamID64: 17 digits that begin with 7656119.',
  network: 'Enter an address or a network, such as 203.0.113.7 or 203.0.113.0/24.',
};

export function expected(kind: Kind): string {
  return EXPECTED[kind];
}
