import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { edit, MUTATIONS } from '../../harness/simulation/mutations.ts';

test.each(MUTATIONS)('"$name" applies: each of its texts occurs in its file once', async ({ edits }) => {
  expect(edits.length).toBeGreaterThan(0);
  for (const one of edits) {
    const source = await readFile(new URL(`../../src/${one.file}`, import.meta.url), 'utf8');
    expect(edit(one, source)).not.toBe(source);
    expect(() => edit(one, `${source}${source}`)).toThrow('once');
  }
});

test('the tests that are to find them are there', () => {
  const finders = MUTATIONS.flatMap(({ test: finder }) => finder ?? []);
  expect(finders.filter((name) => !existsSync(new URL(`../${name}.test.ts`, import.meta.url)))).toEqual([]);
});
