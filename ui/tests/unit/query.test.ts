import { fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/client';
import Reading from './Reading.svelte';

const text = () => document.body.textContent?.replace(/\s+/g, ' ').trim();

test('nothing flashes while an answer is quick; bones show when it is slow', async () => {
  vi.useFakeTimers();
  const { rerender } = render(Reading);
  vi.advanceTimersByTime(149);
  await tick();
  expect(screen.queryByTestId('bones')).toBeNull();
  vi.advanceTimersByTime(1);
  await tick();
  expect(screen.getByTestId('bones')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toBe('Loading');
  await rerender({ data: ['a', 'b'] });
  expect(text()).toBe('a, b');
});

test('an empty answer shows why', () => {
  render(Reading, { data: [] });
  expect(text()).toBe('Nothing yet');
});

test('a failure shows its text and reference, and can be tried again', async () => {
  const refetch = vi.fn();
  render(Reading, { error: new ApiError(500, 'INTERNAL', 'It broke.', 'req-7'), refetch });
  expect(screen.getByRole('alert').textContent).toContain('It broke.');
  expect(text()).toContain('req-7');
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(refetch).toHaveBeenCalledOnce();
});

test('a refusal names the permission and who can grant it, and offers no second try', () => {
  render(Reading, { error: new ApiError(403, 'MISSING_PERMISSION', 'No.', 'r', { permission: 'org.team' }) });
  expect(text()).toContain('“Manage the team” (org.team)');
  expect(text()).toContain('The Owner or an Admin');
  expect(screen.queryByRole('button')).toBeNull();
});

test('what does not exist leads back', () => {
  render(Reading, { error: new ApiError(404, 'NOT_FOUND', 'Gone.') });
  expect(screen.getByRole('link', { name: 'Your organisations' }).getAttribute('href')).toBe('/app/');
});

test('old data stays when a later read fails', () => {
  render(Reading, { data: ['a'], error: new ApiError(500, 'INTERNAL', 'It broke.') });
  expect(text()).toBe('a');
});

test('a bug in the page is not blamed on the server', () => {
  render(Reading, { error: new TypeError('x is undefined') });
  expect(text()).toContain('Something went wrong on this page');
  expect(text()).not.toContain('undefined');
});
