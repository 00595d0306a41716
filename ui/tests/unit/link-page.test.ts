import { describe, expect, test } from 'vitest';
import { accentsOf, repainted } from '../../src/features/tenancy/linkpage/accents';
import { trusted } from '../../src/features/tenancy/linkpage/trusted';
import { asLink, asRow, emptyRow, labelLength, labelProblem, refusedRow, rowProblems, sameLinks, urlProblem } from '../../src/features/tenancy/linkpage/links';

describe('labels', () => {
  test('are counted as people count them', () => {
    expect(labelLength(' Shop ')).toBe(4);
    expect(labelProblem('e\u0301'.repeat(24))).toBeNull();
    expect(labelProblem('é'.repeat(25))).toContain('24');
    expect(labelLength('🦊🦊')).toBe(2);
  });

  test('need something to see, on one line', () => {
    for (const blank of ['', '  ', '\u200b']) expect(labelProblem(blank)).toBe('Enter a label.');
    for (const unfit of ['a\nb', 'a\u202eb', 'a\u0007b']) expect(labelProblem(unfit)).toBe('Use one line of plain text.');
  });
});

describe('addresses', () => {
  test('of the web pass', () => {
    for (const good of [' https://Example.COM ', 'HTTP://example.com:80/a?q#f', 'https://bücher.example/']) {
      expect(urlProblem(good), good).toBeNull();
    }
  });

  test('of anything else do not', () => {
    const bad = [
      '', 'example.com', '//example.com', 'javascript:alert(1)', 'JaVaScRiPt://example.com/%0aalert(1)', 'data:text/html,x',
      'ftp://example.com/', 'https:example.com', 'https:/example.com', 'https:\\\\evil.example', 'https://', 'https://exa\tmple.com',
      'https://example.com/a b', 'https://example.com/\u202egpj', '\u0001https://example.com',
    ];
    for (const one of bad) expect(urlProblem(one), one).toContain('http://');
  });

  test('carry no names and passwords, and have an end', () => {
    for (const one of ['https://discord.com@evil.example/', 'https://a:b@example.com', 'https://:b@example.com']) {
      expect(urlProblem(one), one).toContain('password');
    }
    expect(urlProblem(`https://example.com/${'a'.repeat(2048)}`)).toContain('2,048');
    expect(urlProblem(`https://example.com/${'ü'.repeat(1000)}`)).toContain('2,048');
  });
});

describe('rows', () => {
  const links = [
    { label: 'Chat', url: 'https://a.example/', icon: 'discord' as const, new_tab: true },
    { label: 'Shop', url: 'https://b.example/', icon: 'none' as const, new_tab: false },
  ];

  test('order and every field make a difference, spaces around do not', () => {
    const rows = links.map(asRow);
    expect(sameLinks(links, rows)).toBe(true);
    expect(sameLinks(links, [{ ...rows[0]!, label: ' Chat ' }, rows[1]!])).toBe(true);
    expect(sameLinks(links, [rows[1]!, rows[0]!])).toBe(false);
    expect(sameLinks(links, [rows[0]!])).toBe(false);
    expect(sameLinks(links, [{ ...rows[0]!, new_tab: false }, rows[1]!])).toBe(false);
  });

  test('a new one opens in a new tab and misses both texts', () => {
    const row = emptyRow();
    expect(asLink(row)).toEqual({ label: '', url: '', icon: 'none', new_tab: true });
    expect(Object.keys(rowProblems(row))).toEqual(['label', 'url']);
    expect(emptyRow().id).not.toBe(row.id);
  });

  test('a refusal finds its row by the place it was sent at', () => {
    const rows = links.map(asRow);
    expect(refusedRow({ row: 1, parameter: 'url' }, 'No host.', rows)).toEqual({ [rows[1]!.id]: { url: 'No host.' } });
    expect(refusedRow({ row: 7, parameter: 'url' }, 'No host.', rows)).toEqual({});
    expect(refusedRow({ parameter: 'url' }, 'No host.', rows)).toEqual({});
    expect(refusedRow({ row: 0, parameter: 'links' }, 'Too many.', rows)).toEqual({});
  });
});

test('a page with a script in it is no preview', () => {
  expect(trusted('<p>&lt;script&gt; as text</p>')).toBe('<p>&lt;script&gt; as text</p>');
  for (const active of ['<script>x()</script>', '<SCRIPT src=x>', '<iframe srcdoc=x>']) expect(() => trusted(active), active).toThrow(TypeError);
});

describe('colours', () => {
  const pages = [
    { guild_id: 'a', slug: 'a', name: 'A', accent: 'teal' as const },
    { guild_id: 'b', slug: 'b', name: 'B', accent: 'red' as const },
  ];

  test('only pages that get another one are sent', () => {
    expect(repainted(pages, accentsOf(pages))).toEqual([]);
    expect(repainted(pages, { ...accentsOf(pages), b: 'pink' })).toEqual([{ guild_id: 'b', accent: 'pink' }]);
    expect(repainted(pages, {}), 'a page that came meanwhile keeps its own').toEqual([]);
  });
});
