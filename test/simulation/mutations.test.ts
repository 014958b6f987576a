import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mutate, MUTATIONS } from '../../simulation/mutations.ts';

test.each(MUTATIONS)('"$name" can be planted: its text stands in $file once', async (mutation) => {
  const source = await readFile(new URL(`../../src/${mutation.file}`, import.meta.url), 'utf8');
  expect(mutate(mutation, source)).not.toBe(source);
  expect(() => mutate(mutation, `${source}${source}`)).toThrow('once');
});
