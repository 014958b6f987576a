/** Writes docs/reference/errors.md from the table of error codes: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../src/api/server/envelope.ts';
import { STATE_REASONS } from '../src/platform/errors/account-states.ts';
import { ERROR_CODES, type ErrorCode } from '../src/platform/errors/error-codes.ts';
import { ADVICE, FAILURES, type FailureCode } from '../src/platform/errors/failures.ts';

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
  return (
    HEAD +
    lines.map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |\n`).join('') +
    failures() +
    states()
  );
}

const KNOWN = { unsent: 'was not sent', unknown: 'may have arrived', skipped: 'was left out', sent: 'was sent' };

/** The codes of posts that were not sent. */
function failures(): string {
  const rows = (Object.keys(FAILURES) as FailureCode[]).map((code) => {
    const [kind, advice, reason] = FAILURES[code];
    return `| \`${code}\` | ${KNOWN[kind]} | ${reason.replaceAll(/\{(\w+)\}/g, '`$1`')} | ${ADVICE[advice]} |\n`;
  });
  return FAILURES_HEAD + rows.join('');
}

const FAILURES_HEAD = `
## Posts that were not sent

Generated from \`src/platform/errors/failures.ts\`. Analytics, reports, exports and webhooks have the code in \`error_code\`, and the names in \`error_params\`. A code never changes its meaning, and new codes can be added. A post of \`outcome_unknown\` may have arrived; \`cause\` is the code of what happened last, whose names are beside it. A post that was sent has a code where its recall, its correction, its pin or its mention of everybody came to nothing.

| \`error_code\` | the post | reason | what to do |
| --- | --- | --- | --- |
`;

/** The codes of accounts that are not connected. */
function states(): string {
  const rows = Object.entries(STATE_REASONS).map(([code, reason]) => `| \`${code}\` | ${reason} |\n`);
  return STATES_HEAD + rows.join('');
}

const STATES_HEAD = `
## States of accounts

Generated from \`src/platform/errors/account-states.ts\`. \`account-status\` and its history have the code in \`reason_code\`. \`#\` stands for a number.

| \`reason_code\` | \`reason\` |
| --- | --- |
`;

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', ERRORS_PAGE), errorsPage());
