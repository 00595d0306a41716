// How far back somebody wants to look.

export const RANGES = [7, 30, 90, 365] as const;

/** Days, as the address has them. */
export function rangeOf(text: string | null): (typeof RANGES)[number] {
  return RANGES.find((range) => String(range) === text) ?? RANGES[1];
}
