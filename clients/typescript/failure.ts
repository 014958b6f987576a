/** What is wrong with one field of a request. */
export interface FieldError {
  /** A dotted path in the body: `group_metadata_ids.3`. */
  field: string;
  issue: string;
}

/** The service said no, or could not be reached. `message` is one plain sentence, fit to be shown. */
export class CampanileError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  readonly code: number;
  /** Machine-readable code, such as `group_not_found`. Undefined without an answer, or when a proxy answered. */
  readonly errorCode: string | undefined;
  readonly details: readonly FieldError[];
  /** Identifies the request in the service's log. Undefined without an answer, or when a proxy answered. */
  readonly requestId: string | undefined;
  /** Milliseconds after which the service asked to try again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    {
      code,
      errorCode,
      details = [],
      requestId,
      retryAfterMs,
      cause,
    }: {
      code: number;
      errorCode?: string | undefined;
      details?: readonly FieldError[];
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CampanileError';
    this.code = code;
    this.errorCode = errorCode;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A request that did not get an answer. */
export function unreachable(cause: unknown): CampanileError {
  return new CampanileError('The service cannot be reached', { code: 0, cause });
}

/** What an answer that is no success says. A proxy's page says nothing but its status. */
export async function failureOf(response: Response): Promise<CampanileError> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const known = readEnvelope(await response.text());
  return new CampanileError(known?.message ?? `The service answered ${response.status}`, {
    code: response.status,
    errorCode: known?.error_code,
    details: known?.details ?? [],
    requestId: known?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  });
}

function readEnvelope(
  text: string,
): { message: string; error_code?: string; details?: FieldError[]; request_id?: string } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isFailure = typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
  return isFailure ? (body as { message: string }) : undefined;
}
