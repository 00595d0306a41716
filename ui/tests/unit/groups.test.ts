import { describe, expect, test } from 'vitest';
import { render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { compact, stateOf, toggleGroup, withGroup, withItem } from '../../src/lib/groups';
import GroupPicker from '../../src/lib/ui/GroupPicker.svelte';
import { editedKey, scopeOf } from '../../src/features/keys/key-form';

const lookup = { name: 'lookup', items: ['count', 'findBySteam'] };
const cleanup = { name: 'cleanup', items: ['remove'] };

describe('groups', () => {
  test('a group is on, off or in between', () => {
    expect(stateOf(lookup, [])).toBe('none');
    expect(stateOf(lookup, ['count', 'remove'])).toBe('some');
    expect(stateOf(lookup, ['findBySteam', 'count'])).toBe('all');
  });

  test('its box completes it first and empties it then', () => {
    expect(toggleGroup(['count', 'remove'], lookup).sort()).toEqual(['count', 'findBySteam', 'remove']);
    expect(toggleGroup(['count', 'findBySteam', 'remove'], lookup)).toEqual(['remove']);
  });

  test('what is locked is neither given nor taken', () => {
    expect(toggleGroup([], lookup, ['findBySteam'])).toEqual(['count']);
    expect(toggleGroup(['count'], lookup, ['findBySteam'])).toEqual([]);
    expect(withGroup(['findBySteam'], lookup, false, ['findBySteam'])).toEqual(['findBySteam']);
  });

  test('an item is there once', () => {
    expect(withItem(['count'], 'count', true)).toEqual(['count']);
    expect(withItem(['count'], 'count', false)).toEqual([]);
  });

  test('whole groups go out by name, the rest one by one', () => {
    expect(compact(['count', 'remove'], [lookup, cleanup])).toEqual({ groups: ['cleanup'], items: ['count'] });
    expect(editedKey(' Bot ', ['count', 'findBySteam'], [lookup, cleanup])).toEqual({ name: 'Bot', groups: ['lookup'], actions: [] });
    expect(scopeOf(['count', 'remove'], [lookup, cleanup])).toBe('Cleanup, 1 more');
    expect(compact([], [{ name: 'none', items: [] }])).toEqual({ groups: [], items: [] });
  });
});

test('the picker shows in between and completes on a click', async () => {
  render(GroupPicker, { legend: 'Actions', groups: [lookup, cleanup], chosen: ['count'], locked: ['remove'], lockedReason: 'Not yours.' });
  const box = (name: string) => screen.getByRole('checkbox', { name }) as HTMLInputElement;
  expect(box('lookup').indeterminate).toBe(true);
  box('lookup').click();
  await tick();
  expect(box('lookup').indeterminate).toBe(false);
  expect(box('lookup').checked).toBe(true);
  expect(box('findBySteam').checked).toBe(true);
  expect(box('cleanup').disabled).toBe(true);
  box('count').click();
  await tick();
  expect(box('lookup').indeterminate).toBe(true);
  expect(box('lookup').checked).toBe(false);
});
