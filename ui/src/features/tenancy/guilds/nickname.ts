// Nicknames on Discord that follow a template: the same rules as the server's.

export const TEMPLATE_MAX = 64;
const NICKNAME_MAX = 32;
const CONTROL = /\p{Cc}/gu;
const ZERO_WIDTH = /[\u200B-\u200D\u2060\uFEFF]/g;

/** Blank is no mistake: it leaves nicknames alone. */
export function templateProblem(text: string): string | null {
  const template = text.trim();
  if (!template) return null;
  if ([...template].length > TEMPLATE_MAX || /\p{Cc}/u.test(template)) return `Use at most ${TEMPLATE_MAX} characters on one line.`;
  if (!/\{(steam|discord)\}/.test(template)) return 'Use {steam} or {discord}, or everyone would be called the same.';
  return /[{}]/.test(template.replace(/\{(steam|discord)\}/g, '')) ? 'Only {steam} and {discord} can stand in braces.' : null;
}

/** What someone would be called. */
export function nickname(template: string, names: { steam: string; discord: string }): string {
  const filled = template.replace(/\{(steam|discord)\}/g, (_, whose: 'steam' | 'discord') => names[whose]);
  const shown = filled.replace(ZERO_WIDTH, '').replace(CONTROL, '').trim();
  return [...shown].slice(0, NICKNAME_MAX).join('').trim();
}
