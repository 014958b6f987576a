import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientTables } from '../../scripts/write-client-tables.ts';

test.each(Object.entries(await clientTables()))('%s is current; `npm run docs` writes it', (path, text) => {
  expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(text);
});
