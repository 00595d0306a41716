import { describe, expect, test } from 'vitest';
import { adviceOf, cleanToken, isFixedInPortal, presence, refusedToken, removalWords, restartWords, sharedMissing, sharedStance, stanceOf, tokenProblem, uptime, workWords } from '../../src/features/bots/custom/words';
import type { BotTrouble, BotRestart, OwnBot, CustomBot } from '../../src/lib/api/schema';
import { paceOfBot } from '../../src/lib/api/pace';
import { failed, INVITE, online, paused, starting, takingOver, tokenless, unbought } from '../fixtures-bots.mjs';

const of = (view: unknown) => view as CustomBot & { bot: OwnBot };
const REASONS: BotTrouble[] = ['not_in_guild', 'token_rejected', 'crash_loop', 'identify_budget', 'install_error', 'sharding_required', 'refused', 'no_room', 'unreachable', 'intents_missing'];
const RESTARTS: BotRestart[] = ['crashed', 'memory', 'silent', 'token_replaced', 'resumed', 'moved'];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('what is wrong', () => {
  test('is told for every reason, each with something to do or to wait for', () => {
    const texts = REASONS.map((reason) => adviceOf(of(failed(reason)).bot)?.text ?? '');
    expect(new Set(texts).size).toBe(REASONS.length);
    for (const text of texts) expect(text).toMatch(/Retry|replace the token|by itself|nothing you need to do|turn on|Check that/);
  });

  test('is nothing while all is well, and never nothing when it failed', () => {
    expect(adviceOf(of(online).bot)).toBeNull();
    expect(adviceOf(of(starting('install')).bot)).toBeNull();
    expect(adviceOf(of(failed('toString')).bot)).toMatchObject({ tone: 'bad', text: expect.stringContaining('Retry') });
    expect(adviceOf({ ...of(online).bot, invite_url: INVITE })?.text).toMatch(/missing permissions/);
  });

  test('a missing intent is no failure of a bot that works', () => {
    expect(adviceOf({ ...of(online).bot, reason: 'intents_missing' })).toMatchObject({ tone: 'warn', text: expect.stringMatching(/^The bot works, but/) });
    expect(REASONS.filter(isFixedInPortal)).toEqual(['token_rejected', 'sharding_required', 'intents_missing']);
  });
});

test('a restart has its reason in words, and one that is not known has none', () => {
  expect(new Set(RESTARTS.map(restartWords)).size).toBe(RESTARTS.length);
  expect([restartWords('toString'), restartWords(null)]).toEqual(['', '']);
});

test('uptime has its two largest units, and never runs backwards', () => {
  const up = (ms: number) => uptime(1_000 * DAY, 1_000 * DAY + ms);
  expect([-HOUR, 59_999, MINUTE, HOUR, HOUR + MINUTE, DAY - 1, DAY, 5 * DAY + 2 * HOUR + 7 * MINUTE, DAY + 3 * MINUTE].map(up)).toEqual([
    'Less than a minute',
    'Less than a minute',
    '1 minute',
    '1 hour',
    '1 hour 1 minute',
    '23 hours 59 minutes',
    '1 day',
    '5 days 2 hours',
    '1 day',
  ]);
});

test('the presence counts linked accounts', () => {
  expect([0, 1, 12_800].map(presence)).toEqual(['Watching 0 linked accounts', 'Watching 1 linked account', 'Watching 12,800 linked accounts']);
});

describe('it is read again', () => {
  test('often while it starts, hands over or resumes', () => {
    const resuming = { ...of(paused), access: 'subscribed' as const };
    const handingBack = { ...of(paused), bot: { ...of(paused).bot, serving: true } };
    for (const view of [starting('allocate'), starting('start'), takingOver, resuming, handingBack]) expect(paceOfBot(of(view))).toBe(2_000);
  });

  test('now and then while someone adds it on Discord, and rarely when nothing changes', () => {
    expect(paceOfBot({ ...of(online), bot: { ...of(online).bot, serving: false, invite_url: INVITE } })).toBe(5_000);
    for (const view of [undefined, unbought, tokenless, online, paused, failed('crash_loop')]) expect(paceOfBot(view as CustomBot | undefined)).toBe(30_000);
  });
});

describe('who works in the Discord server', () => {
  const rows = (view: CustomBot) => [view.bot ? stanceOf(view.bot).word : null, sharedStance(view).word];
  const away = { present: false, serving: false, invite_url: INVITE };

  test('is told of both, also while one hands over to the other', () => {
    expect(rows(of(online))).toEqual(['Working', 'Standing by']);
    expect(rows(of(takingOver))).toEqual(['Taking over', 'Handing over']);
    expect(rows({ ...of(paused), bot: { ...of(paused).bot, serving: true }, shared: { ...of(paused).shared, serving: false } })).toEqual(['Handing over', 'Taking over']);
    expect(rows(of(paused))).toEqual(['Paused', 'Working']);
    expect(rows(of(starting('start')))).toEqual(['Starting', 'Working']);
    expect(rows(of(failed('crash_loop')))).toEqual(['Not working', 'Working']);
    expect(rows(of(unbought))).toEqual([null, 'Working']);
    expect(rows({ ...of(starting('start', { reason: 'not_in_guild' })), shared: { present: null, serving: false } })).toEqual(['Not in the Discord server', 'Not checked yet']);
  });

  test('and by whom it is done if not by this one', () => {
    expect(workWords(of(paused))).toMatch(/while yours is paused/);
    expect(workWords(of(failed('refused')))).toMatch(/until yours is online/);
    expect(workWords(of(takingOver))).toMatch(/takes over from the shared bot/);
    expect(workWords({ ...of(paused), shared: away })).toMatch(/No bot works here now/);
  });

  test('a shared bot that is not there is missed before it is needed', () => {
    expect(sharedMissing(of(online))).toBeNull();
    expect(sharedMissing({ ...of(online), shared: { ...away, present: null } })).toBeNull();
    expect(sharedMissing({ ...of(online), shared: away })).toMatch(/no bot works here/);
    expect(workWords({ ...of(online), shared: away })).not.toMatch(/takes over/);
    expect([sharedStance({ ...of(online), shared: away }).tone, sharedStance({ ...of(paused), shared: away }).tone]).toEqual(['warn', 'bad']);
    expect(removalWords({ ...of(online), shared: away })).toMatch(/no bot works there until you add one/);
    expect(removalWords(of(online))).toMatch(/cancel it in the billing portal/);
    expect(removalWords({ ...of(online), access: 'included' })).not.toMatch(/subscription/);
  });
});

describe('a token', () => {
  test('is taken without what is copied with it', () => {
    for (const pasted of ['MTIz.a-b.c_d', '  MTIz.a-b.c_d\n', '"MTIz.a-b.c_d"', 'Bot MTIz.a-b.c_d']) {
      expect(cleanToken(pasted)).toBe('MTIz.a-b.c_d');
      expect(tokenProblem(pasted)).toBeNull();
    }
  });

  test('is not mistaken for what stands beside it in the portal', () => {
    expect(tokenProblem('  ')).toBe('Paste your bot’s token.');
    expect(tokenProblem('714513381600264777')).toMatch(/^This is an ID\./);
    expect(tokenProblem('ab'.repeat(32))).toMatch(/public key/);
    expect(tokenProblem('aB3_'.repeat(8))).toMatch(/client secret/);
    expect(tokenProblem('hello 🙂')).toMatch(/isn’t a bot token/);
  });

  test('that is refused says what to do about it', () => {
    expect(refusedToken('BOT_TOKEN_REJECTED')).toMatch(/reset it/);
    expect(refusedToken('BOT_IN_USE')).toMatch(/another application/);
    expect([refusedToken(undefined), refusedToken('toString'), refusedToken('DISCORD_UNAVAILABLE')]).toEqual([undefined, undefined, undefined]);
  });
});
