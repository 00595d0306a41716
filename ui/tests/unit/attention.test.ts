import { render } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { Attention } from '../../src/lib/api/schema';
import AttentionCard from '../../src/lib/ui/AttentionCard.svelte';

const broken: Attention = { kind: 'key_revoked', severity: 'bad', text: 'The key is revoked.', subject: 's1', fix: { label: 'Regenerate key', page: '/orgs/o1/servers/s1' } };
const known: Attention = { kind: 'granted_operators', severity: 'info', text: '2 people are operators.' };

test('each thing is a sentence with its weight in words and the way to where it is put right', () => {
  const shown = render(AttentionCard, { attention: [broken, known], reachable: () => true });
  const [first, second] = shown.getAllByRole('listitem');
  expect(first?.textContent?.replace(/\s+/g, ' ').trim()).toBe('Failing: The key is revoked. Regenerate key');
  expect(shown.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/app/orgs/o1/servers/s1']);
  expect(second?.textContent).toContain('2 people are operators.');
  expect(shown.getByText('2 items')).toBeTruthy();
});

test('who may not open the page is told all the same, without a link', () => {
  const shown = render(AttentionCard, { attention: [broken], reachable: (page) => page !== '/orgs/o1/servers/s1' });
  expect(shown.getByText('The key is revoked.')).toBeTruthy();
  expect(shown.queryByRole('link')).toBeNull();
});

test('nothing to do is said', () => {
  const shown = render(AttentionCard, { attention: [], reachable: () => true });
  expect(shown.getByText('Everything is in order.')).toBeTruthy();
  expect(shown.queryByRole('list')).toBeNull();
});
