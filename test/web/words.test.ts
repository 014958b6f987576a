/** What the dashboard says is in one file, so that another language is another file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { en } from '../../web/words/en.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync('web/**/*.tsx', { cwd: root, exclude: ['web/dist*/**'] });

/** Words between tags, or in an attribute that is shown or read out. */
function wordsIn(source: string): string[] {
  const between = [...source.matchAll(/(?<![=-])>\s*([A-Za-z][^<>{}=;]*?)\s*<\/?[A-Za-z]/g)].map(
    ([, text = '']) => text,
  );
  const attributes = [
    ...source.matchAll(/\b(?:label|title|placeholder|alt|description|aria-label)="([^"]*[A-Za-z][^"]*)"/g),
  ].map(([, text = '']) => text);
  return [...between, ...attributes].filter((text) => /[a-z]{2}/i.test(text));
}

test('no page has words of its own', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(
    pages.flatMap((path) => wordsIn(readFileSync(join(root, path), 'utf8')).map((text) => `${path}: ${text}`)),
  ).toEqual([]);
});

test('words of its own would be found', () => {
  expect(wordsIn('<Button size="xs">Send it</Button><TextInput label="Your name" />')).toEqual([
    'Send it',
    'Your name',
  ]);
});

test('nothing is said in the tone of machines', () => {
  const texts: string[] = [];
  const collect = (value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(en);
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.filter((text) => /oops|error \d|invalid|undefined|null|please|!$/i.test(text))).toEqual([]);
  expect(texts.filter((text) => text.trim() !== text || text === '')).toEqual([]);
});
