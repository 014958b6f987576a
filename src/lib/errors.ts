/**
 * The errors that are somebody's business to read. A use case throws an `AppError` with a kind; only `http/envelope.ts` knows
 * which HTTP status a kind comes to (contract §2). Anything else that is thrown is a defect and becomes a 500.
 */

/** One thing wrong with one field. `field` is the dotted path in the request body: `group_metadata_ids.3`. */
export interface Problem {
  field: string;
  issue: string;
}

export type ErrorKind =
  | 'invalid' // the request makes no sense as it stands
  | 'unauthenticated' // who are you?
  | 'forbidden' // known, but not allowed
  | 'not_found' // does not exist, or is somebody else's: never told apart
  | 'conflict' // the present state forbids it
  | 'too_large'
  | 'too_slow' // its body came a drop at a time
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'; // come back later

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly details: readonly Problem[];
  /** Seconds after which trying again makes sense; sent as `retry-after`. */
  readonly retryAfterSeconds: number | undefined;
  /** Something may have come of the attempt; of all other failures nothing came. */
  readonly outcomeUnknown: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      details?: readonly Problem[];
      retryAfterSeconds?: number;
      outcomeUnknown?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** There is too much to do just now; `reason` says of what, for the operator's counts. */
export class OverloadError extends AppError {
  readonly reason: string;

  constructor(reason: string, retryAfterSeconds: number) {
    super('unavailable', 'The server is overloaded just now', { retryAfterSeconds });
    this.reason = reason;
  }
}

/** A request that is wrong in the given fields. The message is made of the first problem unless one is given. */
export function invalid(details: readonly Problem[], message?: string): AppError {
  const first = details[0];
  return new AppError('invalid', message ?? (first ? `${first.field} ${first.issue}` : 'The request is not valid'), {
    details,
  });
}

/** Something the operator has to change before the service can start: printed as it is, without a stack. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartupError';
  }
}
