import { describe, expect, test } from 'vitest';
import { liftOver, toast } from '../../src/lib/toast.svelte';

const notes = { left: 904, right: 1264, height: 48 };
const box = (top: number, bottom: number, left = 272, right = 1248) => ({ top, bottom, left, right });
const lift = (...boxes: ReturnType<typeof box>[]) => liftOver(boxes, notes, 800, 16);

describe('notes', () => {
  test('lie in the corner as long as nothing is there', () => {
    expect(lift()).toBe(16);
    expect(lift(box(400, 460))).toBe(16);
    expect(lift(box(722, 784, 0, 900))).toBe(16);
  });

  test('stand above what is pressed next', () => {
    expect(lift(box(722, 784))).toBe(86);
  });

  test('do not come down on a second thing while they make way for the first', () => {
    expect(lift(box(660, 700), box(722, 784))).toBe(148);
  });
});

test('what is said twice is there once', () => {
  toast.error('Couldn’t load part of the page.');
  toast.error('Couldn’t load part of the page.');
  toast.ok('Saved');
  expect(toast.list.map(({ text }) => text)).toEqual(['Couldn’t load part of the page.', 'Saved']);
});
