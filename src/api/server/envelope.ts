import { ERROR_CODES, type ErrorCode, type ErrorKind } from '../../platform/errors/error-codes.ts';
import { AppError, type FieldError } from '../../platform/errors/errors.ts';
import type { Failure } from '../contract/envelope.ts';
import { MOST_DETAILS } from '../contract/fields.ts';
import { classifyDatabaseError } from './database-unavailable.ts';
import type { RateHeader } from './rate-limits.ts';

/** The one place that knows which HTTP status a kind of error comes to (contract §2). */
const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_slow: 408,
  too_large: 413,
  unsupported_media_type: 415,
  // For a reused key: draft-ietf-httpapi-idempotency-key-header, section 2.7.
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
  no_room: 507,
  headers_too_long: 431,
  defect: 500,
};

const RETRY_AFTER_SECONDS = 5;
const DEFECT = 'Something went wrong on our side; the request id leads to what was logged';

/** The HTTP status that failures with this code have. */
export function statusOf(code: ErrorCode): number {
  return STATUS_OF_KIND[ERROR_CODES[code][0]];
}

/** A failure as it is sent: status, content of the envelope, and headers. */
export interface FailedAnswer {
  status: number;
  code: ErrorCode;
  message: string;
  details: readonly FieldError[];
  headers: Readonly<Record<string, string>>;
}

/** Returns the answer to a request whose handling threw `error`: 500 unless the error is known to be the request's fault. */
export function failedAnswer(error: unknown, isDiskFull: boolean): FailedAnswer {
  if (error instanceof AppError) return appFailure(error);
  const failure = classifyDatabaseError(error, isDiskFull);
  if (failure !== undefined)
    return plainFailure(failure.code, failure.message, { 'retry-after': String(RETRY_AFTER_SECONDS) });
  return frameworkFailure(error) ?? plainFailure('internal_error', DEFECT);
}

/** The body of a failure. */
export function failureText(answer: FailedAnswer, requestId: string): string {
  const body: Failure = {
    error: true,
    status: 'error',
    code: answer.status,
    error_code: answer.code,
    message: answer.message,
    details: answer.details.slice(0, MOST_DETAILS).map(({ code = 'invalid', ...detail }) => ({ ...detail, code })),
    ...(answer.details.length > MOST_DETAILS && { more_details: answer.details.length - MOST_DETAILS }),
    data: null,
    request_id: requestId,
  };
  return JSON.stringify(body);
}

/** The body of a success. `data` has to be what the operation's schema says; it is not looked at again. `replacer` as of JSON.stringify. */
export function successText(data: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return `{"error":false,"status":"success","code":200,"data":${JSON.stringify(data, replacer)}}`;
}

/** A failure with nothing to say about fields. */
export function plainFailure(
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): FailedAnswer {
  return { status: statusOf(code), code, message, details: [], headers };
}

function appFailure(error: AppError): FailedAnswer {
  const headers: Record<string, string> = {};
  if (error.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (error.kind === 'rate_limited' || error.kind === 'unavailable')
    headers['retry-after'] = String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  if (error.limit !== undefined) Object.assign(headers, rateLimitHeaders(error.code, error.limit, headers));
  if (error.kind === 'too_slow') headers['connection'] = 'close';
  const { code, message, details } = error;
  return { status: statusOf(code), code, message, details, headers };
}

/** Headers for an exceeded limit, as in the answers of rate-limited operations (`rate-limits.ts`). */
function rateLimitHeaders(
  code: ErrorCode,
  limit: number,
  { 'retry-after': seconds = '0' }: Readonly<Record<string, string>>,
): Record<RateHeader, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': seconds,
    'ratelimit-policy': `"${code}";q=${limit}`,
    ratelimit: `"${code}";r=0;t=${seconds}`,
  };
}

/** Errors that Fastify raises before any code of ours runs. */
function frameworkFailure(error: unknown): FailedAnswer | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  const { statusCode } = error;
  if (statusCode === 413) return plainFailure('body_too_large', 'The body is larger than this operation takes');
  if (statusCode === 415) return plainFailure('content_type_unsupported', 'The content type must be application/json');
  if (statusCode >= 400 && statusCode < 500) return plainFailure('request_unreadable', 'The request cannot be read');
  return undefined;
}
