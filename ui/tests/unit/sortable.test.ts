import { fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import Rows from './Rows.svelte';

const handle = (name: string) => screen.getByRole('button', { name: `Reorder ${name}` });
const order = () => [...document.querySelectorAll('.row')].map((row) => row.textContent);
const said = () => document.querySelector('[aria-live=assertive]')?.textContent;

async function press(name: string, ...keys: string[]) {
  handle(name).focus();
  for (const key of keys) {
    await fireEvent.keyDown(handle(name), { key });
    await tick();
    await tick();
  }
}

function start() {
  const onreorder = vi.fn();
  render(Rows, { onreorder });
  return onreorder;
}

test('a row is lifted, moved and dropped by keyboard, and every step is said by name', async () => {
  const onreorder = start();
  await press('Chat', ' ');
  expect(said()).toBe('Lifted Chat, position 1 of 3.');
  expect(handle('Chat').getAttribute('aria-pressed')).toBe('true');
  await press('Chat', 'ArrowDown', 'ArrowDown');
  expect(order()).toEqual(['Shop', 'News', 'Chat']);
  expect(said()).toBe('Chat, position 3 of 3.');
  expect(document.activeElement).toBe(handle('Chat'));
  expect(onreorder).not.toHaveBeenCalled();
  await press('Chat', ' ');
  expect(onreorder).toHaveBeenCalledExactlyOnceWith(['Shop', 'News', 'Chat']);
  expect(said()).toBe('Dropped Chat, position 3 of 3.');
  expect(order()).toEqual(['Shop', 'News', 'Chat']);
});

test('Escape puts everything back and tells nobody', async () => {
  const onreorder = start();
  await press('News', 'Enter', 'ArrowUp', 'ArrowUp', 'Escape');
  expect(order()).toEqual(['Chat', 'Shop', 'News']);
  expect(said()).toBe('Cancelled. News is back at position 3 of 3.');
  expect(document.activeElement).toBe(handle('News'));
  expect(onreorder).not.toHaveBeenCalled();
});

test('arrows do nothing before a row is lifted, nor past the ends', async () => {
  const onreorder = start();
  await press('Chat', 'ArrowDown');
  expect(order()).toEqual(['Chat', 'Shop', 'News']);
  await press('Chat', ' ', 'ArrowUp', ' ');
  expect(order()).toEqual(['Chat', 'Shop', 'News']);
  expect(onreorder).not.toHaveBeenCalled();
});

test('leaving a lifted row drops it where it is', async () => {
  const onreorder = start();
  await press('Chat', ' ', 'ArrowDown');
  await fireEvent.blur(handle('Chat'));
  expect(onreorder).toHaveBeenCalledExactlyOnceWith(['Shop', 'Chat', 'News']);
});

test('the buttons move a row by one and keep the focus on it', async () => {
  const onreorder = start();
  const up = screen.getByRole('button', { name: 'Move Shop up' });
  up.focus();
  await fireEvent.click(up);
  await tick();
  expect(onreorder).toHaveBeenCalledExactlyOnceWith(['Shop', 'Chat', 'News']);
  expect(said()).toBe('Shop, position 1 of 3.');
  // It cannot go further up, so the focus is on the handle of the same row.
  expect(document.activeElement).toBe(handle('Shop'));
});
