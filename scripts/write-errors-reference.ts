/** Writes docs/reference/errors.md from the table of error codes: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../src/api/server/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../src/platform/errors/error-codes.ts';

export const ERRORS_PAGE = 'docs/reference/errors.md';

const HEAD = `# Errors

Made from \`src/platform/errors/error-codes.ts\` by \`npm run docs\`; [the contract](contract.md#2-envelope-and-errors) says what an answer that failed looks like.

\`error_code\` is for programs: a code never comes to mean something else, and new ones may come. One that you do not know is to be treated as its status. The sentence in \`message\` is for people and may change.

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
