import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { growsLinearly } from '../../support/cpu-time.ts';
import { parseWhatsApp } from '../../../src/content/text/parse-whatsapp.ts';

/** A message as one string, with styles in braces: `{bold:x}`; items and quotes with their kind in brackets. */
function shown(message: string): string {
  return parseWhatsApp(message)
    .map(({ kind, number, runs }) => {
      const text = runs.map((run) => run.styles.reduceRight((inner, look) => `{${look}:${inner}}`, run.text)).join('');
      return kind === 'text' ? text : `[${number ?? kind}]${text}`;
    })
    .join('\n');
}

describe('a message in WhatsApp', () => {
  it.each([
    ['*bold* _i_ ~s~ `c`', '{bold:bold} {italic:i} {strike:s} {code:c}'],
    ['* b*', '[bullet]b*'],
    ['*b *', '*b *'],
    ['a*b*c', 'a*b*c'],
    ['2*3*4 2 * 3 * 4', '2*3*4 2 * 3 * 4'],
    ['*a\nb*', '*a\nb*'],
    ['snake_case', 'snake_case'],
    ['中*b*中', '中*b*中'],
    ['(*b*) *b*, R$ *10*', '({bold:b}) {bold:b}, R$ {bold:10}'],
    ['foo\u200b*bar*', 'foo\u200b{bold:bar}'],
    ['foo\u034f*bar*', 'foo\u034f*bar*'],
    ['*_x_* _~*x*~_', '{bold:{italic:x}} {italic:{strike:{bold:x}}}'],
    ['**b**', '{bold:*b}*'],
    ['😀*b*😀', '😀{bold:b}😀'],
    ['*️⃣ a*', '*️⃣ a*'],
    ['`*a*` a``b', '{code:*a*} a``b'],
    ['```*a*\n- b```', '{mono:*a*}\n{mono:- b}'],
    ['``` ```', '``` ```'],
    ['a```b```c', 'a{mono:b}c'],
    ['- a\n* b\n• c\n1. d\n12. e\n> f', '[bullet]a\n[bullet]b\n[bullet]c\n[1]d\n[12]e\n[quote]f'],
    ['-a\n- \n123. a\n - b\n1.a', '-a\n- \n123. a\n - b\n1.a'],
    ['- *a*', '[bullet]{bold:a}'],
    ['_a https://x.org/_b_/ c_', '{italic:a https://x.org/_b_/ c}'],
  ])('%j', (message, expected) => expect(shown(message)).toBe(expected));

  it('is parsed in linear time', () => {
    for (const piece of ['*a ', '_', '`a', '```', '*_a', 'www.a*'])
      expect(growsLinearly((count) => void parseWhatsApp(piece.repeat(count)), 20_000)).toBe(true);
  });

  it('is parsed by a file without imports, for browsers', async () => {
    const source = await readFile(join(import.meta.dirname, '../../../src/content/text/parse-whatsapp.ts'), 'utf8');
    expect(source).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/);
  });
});
