/** The error of one field of a request. */
export interface FieldError {
  /** A dotted path in the body: `group_metadata_ids.3`. */
  field: string;
  /** What is wrong, in English. */
  issue: string;
  /** A stable code of the issue, such as `end_before_start`. */
  code?: string;
  /** The figures and names of the issue, such as `limit`. */
  params?: Readonly<Record<string, string | number>>;
}

/** The service rejected the request, or could not be reached. `message` is one plain sentence for people. */
export class CampanileError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** Machine-readable code, such as `group_not_found`. Undefined without an answer, or when a proxy answered. */
  readonly errorCode: string | undefined;
  readonly details: readonly FieldError[];
  /** Number of further problems that the service found and left out. */
  readonly moreDetails: number;
  /** Identifies the request in the service's log. Undefined without an answer, or when a proxy answered. */
  readonly requestId: string | undefined;
  /** Milliseconds after which the service asked to try again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    {
      status,
      errorCode,
      details = [],
      moreDetails = 0,
      requestId,
      retryAfterMs,
      cause,
    }: {
      status: number;
      errorCode?: string | undefined;
      details?: readonly FieldError[];
      moreDetails?: number | undefined;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CampanileError';
    this.status = status;
    this.errorCode = errorCode;
    this.details = details;
    this.moreDetails = moreDetails;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the error of a request without an answer. */
export function unreachable(cause: unknown): CampanileError {
  return new CampanileError('The service cannot be reached', { status: 0, cause });
}

/** Returns the error of an answer that is no success. The page of a proxy contributes only its status. */
export async function failureOf(response: Response): Promise<CampanileError> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const known = readEnvelope(await response.text());
  return new CampanileError(known?.message ?? `The service answered ${response.status}`, {
    status: response.status,
    errorCode: known?.error_code,
    details: known?.details ?? [],
    moreDetails: known?.more_details,
    requestId: known?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  });
}

function readEnvelope(
  text: string,
):
  | { message: string; error_code?: string; details?: FieldError[]; more_details?: number; request_id?: string }
  | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isFailure = typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
  return isFailure ? (body as { message: string }) : undefined;
}
