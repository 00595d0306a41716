import { render, screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/lib/api/client';
import type { TrustSettings } from '../../src/lib/api/schema';
import TrustPill from '../../src/lib/ui/TrustPill.svelte';
import { asKeyword, changesOf, describe as inWords, draftOf, emptyRow, problemsOf, ranges, refusedRow, sameKeywords, textProblem, wanted, type Row } from '../../src/features/players/trust/keywords';

const settings: TrustSettings = {
  keywords: [{ text: 'helper', class: 'staff' }, { text: 'elite', class: 'vip' }],
  usual_keywords: [{ text: 'owner', class: 'owner' }],
  classes: [
    { class: 'admin', weight: 90, tone: 'bad', usual_tone: 'bad' },
    { class: 'vip', weight: 40, tone: 'accent', usual_tone: 'ok' },
  ],
  thresholds: { trusted: 90, normal: 70, watch: 40 },
  revision: 3,
};
const row = (id: string, text: string): Row => ({ id, text, class: 'staff' });

describe('what is saved', () => {
  test('is nothing while nothing differs, also with other capitals and spaces', () => {
    const draft = draftOf(settings);
    expect(changesOf(settings, draft)).toBeNull();
    draft.rows[0]!.text = ' Helper ';
    expect(changesOf(settings, draft)).toBeNull();
  });

  test('is every keyword in order, and the colours that are not the usual ones', () => {
    const draft = draftOf(settings);
    draft.rows.reverse();
    expect(changesOf(settings, draft)).toEqual({ keywords: [settings.keywords[1], settings.keywords[0]], tones: [{ class: 'vip', tone: 'accent' }] });
  });

  test('a colour that is set back to the usual one is left out', () => {
    const draft = draftOf(settings);
    draft.tones.vip = 'ok';
    expect(changesOf(settings, draft)?.tones).toEqual([]);
    draft.tones.admin = 'warn';
    expect(wanted(settings, draft).tones).toEqual([{ class: 'admin', tone: 'warn' }]);
  });

  test('only keywords can move anyone', () => {
    const draft = draftOf(settings);
    draft.tones.vip = 'ok';
    expect(sameKeywords(settings.keywords, draft.rows)).toBe(true);
    draft.rows[0]!.class = 'admin';
    expect(sameKeywords(settings.keywords, draft.rows)).toBe(false);
  });
});

describe('what is wrong with a keyword', () => {
  test('is told by its row', () => {
    expect(textProblem('  ')).toMatch(/Enter a part/);
    expect(textProblem('x'.repeat(32))).toBeNull();
    expect(textProblem('x'.repeat(33))).toBe('Use at most 32 characters.');
    expect(textProblem('ad\u200bmin')).toMatch(/invisible/);
    expect(problemsOf([row('a', 'helper'), row('b', ' HELPER'), row('c', ''), row('d', '')])).toEqual({
      b: 'There’s already a keyword like this above.',
      c: 'Enter a part of a group’s name.',
      d: 'Enter a part of a group’s name.',
    });
  });

  test('the server’s word is shown at the row as it was sent', () => {
    const refusal = new ApiError(400, 'INVALID_PARAMETER', 'Row 2, text: the same keyword twice', null, { row: 1, parameter: 'text' });
    const sent = [row('a', 'x'), row('b', 'y')];
    expect(refusedRow(refusal, sent)).toEqual({ b: 'The same keyword twice.' });
    expect(refusedRow(new ApiError(400, 'INVALID_PARAMETER', 'keywords: at most 50 keywords', null, { parameter: 'keywords' }), sent)).toEqual({});
    expect(refusedRow(null, sent)).toEqual({});
  });
});

test('new rows have ids of their own', () => {
  const [one, other] = [emptyRow(), emptyRow()];
  expect(one.id).not.toBe(other.id);
  expect(asKeyword({ ...one, text: ' VIP+ ' })).toEqual({ text: 'vip+', class: 'staff' });
});

test('what someone else saved reads as people say it', () => {
  expect(inWords(settings)).toEqual({ 'Keyword 1': 'helper: Staff', 'Keyword 2': 'elite: VIP', 'Colour of Admin': 'Red', 'Colour of VIP': 'Indigo' });
});

test('each tier has its range, without gaps', () => {
  expect(ranges(settings.thresholds).map(({ tier, from, to }) => `${tier} ${from}-${to}`)).toEqual(['Trusted 90-100', 'Normal 70-89', 'Watch 40-69', 'Risk 0-39']);
});

test('a pill has an icon and a word for every tier, and stays readable for one it does not know', () => {
  for (const [tier, tone] of [['Trusted', 'ok'], ['Normal', 'info'], ['Watch', 'warn'], ['Risk', 'bad'], ['Cloudy', 'neutral']] as const) {
    const { unmount } = render(TrustPill, { tier });
    const pill = screen.getByText(tier);
    expect(pill.classList.contains(tone)).toBe(true);
    expect(pill.querySelector('svg')).not.toBeNull();
    unmount();
  }
});
