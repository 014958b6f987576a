import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/platform/errors/error-codes.ts';
import { ERRORS_PAGE, errorsPage } from '../../scripts/write-errors-reference.ts';

const root = join(import.meta.dirname, '../..');

test('the errors page is current: npm run docs', () => {
  expect(readFileSync(join(root, ERRORS_PAGE), 'utf8')).toBe(errorsPage());
});

test('the service uses every error code', () => {
  const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['src/platform/errors/error-codes.ts'] });
  const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});
