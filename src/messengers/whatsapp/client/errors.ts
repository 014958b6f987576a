/** The errors of a connection and of its queries, read from those that the library throws. */

import { AppError } from '../../../platform/errors/errors.ts';

/** WhatsApp answered a query with an error. */
export class QueryRejectedError extends Error {
  readonly code: number;
  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'QueryRejectedError';
    this.code = code;
  }
}

/** A query had no answer in time: whether it took effect is unknown. */
export class NoAnswerError extends Error {
  constructor() {
    super('WhatsApp has not answered a query');
    this.name = 'NoAnswerError';
  }
}

/** WhatsApp has answered a query, and the answer cannot be read: whether the query took effect is unknown. */
export class UnreadableAnswerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableAnswerError';
  }
}

/** Why a connection ended. */
export interface CloseReason {
  /** Undefined: the connection broke, or WhatsApp did not answer. */
  code: number | undefined;
  /** The attributes of WhatsApp's refusal. */
  attrs: Readonly<Record<string, string>>;
  /** The phone that was to be linked has not proven that it is the one: which of its proofs does not hold. */
  forgery?: 'hmac' | 'signature' | undefined;
}

/** The error of a request that WhatsApp has rejected for now. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('messenger_unavailable', message, { retryAfterSeconds: 5, cause });
}

/** The error of a request that WhatsApp has not answered, because there is no way to it or the answer was lost. */
export function unreachable(message: string, cause?: unknown): AppError {
  return new AppError('messenger_unreachable', message, { retryAfterSeconds: 5, cause });
}

/** The code of a rejected query. Undefined for another error: whether the query took effect is then unknown. */
export function rejectionCodeOf(error: unknown): number | undefined {
  return error instanceof QueryRejectedError ? error.code : undefined;
}

export function closeReasonOf(error: unknown): CloseReason {
  const { data, message } = (error ?? {}) as { data?: unknown; message?: unknown };
  const isRejection = typeof data === 'object' && data !== null && 'reason' in data;
  return {
    code: isRemoval(data) ? LOGGED_OUT : codeOf(error),
    attrs: isRejection ? (data as CloseReason['attrs']) : {},
    forgery: typeof message === 'string' ? FORGERIES[message] : undefined,
  };
}

const LOGGED_OUT = 401;
/** By the message of the library's error, which has no code. */
const FORGERIES: Readonly<Record<string, CloseReason['forgery']>> = {
  'Invalid account signature': 'hmac',
  'Failed to verify account signature': 'signature',
};

/** The stream error of a removed device need not have a code; the library takes each conflict without one for a replacement. */
function isRemoval(data: unknown): boolean {
  const { tag, attrs } = (data ?? {}) as { tag?: unknown; attrs?: Record<string, unknown> };
  return tag === 'conflict' && attrs?.['type'] === 'device_removed';
}

/** Returns whether the library gave up waiting for an answer. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Timed Out';

/** Resolves as `work` does, and throws QueryRejectedError where the library has thrown an answer of WhatsApp's. */
export async function rejecting<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = answeredCodeOf(error);
    throw code === undefined ? error : new QueryRejectedError(code, (error as Error).message, { cause: error });
  }
}

function answeredCodeOf(error: unknown): number | undefined {
  const { data } = (error ?? {}) as { data?: unknown };
  if (typeof data === 'number') return data;
  // JSON with errors, or a group's answer without a group.
  const isAnswer = typeof data === 'object' && data !== null && ('extensions' in data || 'attrs' in data);
  return isAnswer ? codeOf(error) : undefined;
}

function codeOf(error: unknown): number | undefined {
  const { data, output } = (error ?? {}) as { data?: unknown; output?: { statusCode?: unknown } };
  // A rejected query has its code as data; its status code is always 500.
  if (typeof data === 'number') return data;
  return typeof output?.statusCode === 'number' ? output.statusCode : undefined;
}
