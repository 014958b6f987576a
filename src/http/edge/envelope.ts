import { AppError, type ErrorKind, type Problem } from '../../lib/errors.ts';
import type { Failure } from '../contract/envelope.ts';
import { whyDatabaseAway } from './database-away.ts';

/** The one place that knows which HTTP status a kind of error comes to (contract §2). */
const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_slow: 408,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
};

const RETRY_AFTER_SECONDS = 5;

/** A failure as it goes out: the status, what the envelope says, and the headers that belong to it. */
export interface FailedAnswer {
  status: number;
  message: string;
  details: readonly Problem[];
  headers: Readonly<Record<string, string>>;
}

const defect: FailedAnswer = {
  status: 500,
  message: 'Something went wrong on our side; the request id leads to what was logged',
  details: [],
  headers: {},
};

/** The answer to a request whose handling threw `error`. Whatever is not known to be the request's fault is a 500. */
export function failedAnswer(error: unknown, isDiskFull: boolean): FailedAnswer {
  if (error instanceof AppError) return appFailure(error);
  const away = whyDatabaseAway(error, isDiskFull);
  if (away !== undefined) return plainFailure(503, away, { 'retry-after': String(RETRY_AFTER_SECONDS) });
  return frameworkFailure(error) ?? defect;
}

/** The body of a failure. */
export function failureText(answer: FailedAnswer, requestId: string): string {
  const body: Failure = {
    error: true,
    status: 'error',
    code: answer.status,
    message: answer.message,
    details: [...answer.details],
    data: null,
    request_id: requestId,
  };
  return JSON.stringify(body);
}

/** The body of a success. `data` has to be what the operation's schema says; it is not looked at again. */
export function successText(data: unknown): string {
  return `{"error":false,"status":"success","code":200,"data":${JSON.stringify(data)}}`;
}

/** A failure with nothing to say about fields. */
export function plainFailure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): FailedAnswer {
  return { status, message, details: [], headers };
}

function appFailure(error: AppError): FailedAnswer {
  const headers: Record<string, string> = {};
  if (error.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (error.kind === 'rate_limited' || error.kind === 'unavailable')
    headers['retry-after'] = String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  if (error.kind === 'too_slow') headers['connection'] = 'close';
  return { status: STATUS_OF_KIND[error.kind], message: error.message, details: error.details, headers };
}

/** What Fastify itself refuses before any code of ours has seen the request. */
function frameworkFailure(error: unknown): FailedAnswer | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  const { statusCode } = error;
  if (statusCode === 413) return plainFailure(413, 'The body is larger than this operation takes');
  if (statusCode === 415) return plainFailure(415, 'The content type must be application/json');
  if (statusCode >= 400 && statusCode < 500) return plainFailure(400, 'The request cannot be read');
  return undefined;
}
