/** Writes docs/reference/errors.md from the table of error codes: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../src/api/server/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../src/platform/errors/error-codes.ts';

export const ERRORS_PAGE = 'docs/reference/errors.md';

const HEAD = `# Errors

Generated from \`src/platform/errors/error-codes.ts\` by \`npm run docs\`. [The contract](contract.md#2-envelope-and-errors) defines the format of an error.

Programs use \`error_code\`. A code never changes its meaning, and new codes can be added. Treat an unknown code as its status. The sentence in \`message\` is for people, and can change.

| \`error_code\` | status | meaning |
| --- | --- | --- |
`;

/** The whole page. */
export function errorsPage(): string {
  const entries = Object.entries(ERROR_CODES) as Array<[ErrorCode, readonly [string, string]]>;
  const rows = entries.map(([code, [, meaning]]) => ({ code, status: statusOf(code), meaning }));
  const lines = rows.toSorted((one, other) => one.status - other.status);
  return HEAD + lines.map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |\n`).join('');
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', ERRORS_PAGE), errorsPage());
