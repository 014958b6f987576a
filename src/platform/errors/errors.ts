/**
 * The errors that are somebody's business to read. A use case throws an `AppError` with a code, which has a kind; only
 * `api/server/envelope.ts` knows which HTTP status a kind comes to (contract §2). Anything else that is thrown is a defect and becomes a 500.
 */

import { ISSUES, type IssueCode, type IssueParams } from './issues.ts';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.ts';

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly FieldError[];
  /** Seconds after which trying again makes sense; sent as `retry-after`. */
  readonly retryAfterSeconds: number | undefined;
  /** The limit that was reached. */
  readonly limit: number | undefined;
  /** Something may have come of the attempt; of all other failures nothing came. */
  readonly outcomeUnknown: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: readonly FieldError[];
      retryAfterSeconds?: number;
      limit?: number;
      outcomeUnknown?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.limit = options.limit;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code][0];
  }
}

/**
 * Load shedding: too much work at once. `reason` names the resource for the operator's counts, and `why` explains it in a sentence for
 * people.
 */
export class OverloadError extends AppError {
  readonly reason: string;

  constructor(reason: string, retryAfterSeconds: number, why?: string) {
    const message = 'The server is overloaded just now';
    super('overloaded', why === undefined ? message : `${message}: ${why}`, { retryAfterSeconds });
    this.reason = reason;
  }
}

export interface Issue {
  code: IssueCode;
  /** The issue in English. */
  issue: string;
  params?: IssueParams;
}

/** Returns an issue in English with its code. Parameters that the sentence does not name go along as well. */
export function describeIssue(code: IssueCode, params?: IssueParams): Issue {
  const issue = ISSUES[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name] ?? ''));
  return { issue, code, ...(params && { params }) };
}

/** One thing wrong with one field. `field` is the dotted path in the request body: `group_metadata_ids.3`. */
export interface FieldError extends Partial<Issue> {
  field: string;
  issue: string;
}

export function fieldError(field: string, code: IssueCode, params?: IssueParams): FieldError {
  return { field, ...describeIssue(code, params) };
}

/** A request that is wrong in the given fields. The message is made of the first problem unless one is given. */
export function invalid(details: readonly FieldError[], message?: string, cause?: unknown): AppError {
  const first = details[0];
  return new AppError(
    'invalid_request',
    message ?? (first ? `${first.field} ${first.issue}` : 'The request is not valid'),
    { details, cause },
  );
}

/** Something the operator has to change before the service can start: printed as it is, without a stack. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartupError';
  }
}

/** A command was called with arguments that it does not take: printed with its usage. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Returns the code that Node.js or PostgreSQL gives an error, such as `ENOENT` or `23505`; undefined where it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
