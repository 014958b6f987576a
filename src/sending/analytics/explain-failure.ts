import { ADVICE, FAILURES, isFailureCode, wordFailure } from '../../platform/errors/failures.ts';
import type { FailureCode, FailureParams } from '../../platform/errors/failures.ts';

/** Why a delivery was not sent, as statements read it. */
export interface StoredFailure {
  /** In English. */
  error: string;
  code: string | null;
  params: FailureParams | null;
}

/** Why a group got no post. */
export interface ExplainedFailure {
  /** The cause in English, and what to do. Null: a follow-up left it out, or there is no reason. */
  error: string | null;
  /** Why a follow-up left it out, in English (`read by 72 %`). */
  skipped: string | null;
  errorCode: FailureCode | null;
  errorParams: FailureParams | null;
}

const BY_ITSELF = 'The service retries automatically';

/** Returns the last failure of a delivery for the manager of the groups. `isWaiting`: another attempt follows. */
export function explainFailure(stored: StoredFailure | null, isWaiting: boolean): ExplainedFailure {
  if (!stored) return { error: null, skipped: null, errorCode: null, errorParams: null };
  const { error } = stored;
  const errorCode = isFailureCode(stored.code) ? stored.code : 'other';
  const errorParams = errorCode === 'other' ? { text: error } : stored.params;
  const [kind, advice] = FAILURES[errorCode];
  const found = { errorCode, errorParams, skipped: null };
  if (kind === 'skipped') return { ...found, error: null, skipped: error };
  if (isWaiting) {
    const cause = errorCode === 'outcome_unknown' ? errorParams?.['cause'] : undefined;
    const reason = isFailureCode(cause) ? wordFailure(cause, errorParams ?? {}) : error;
    return { ...found, error: `${reason}. ${BY_ITSELF}` };
  }
  return { ...found, error: errorCode === 'other' ? error : `${error}. ${ADVICE[advice]}` };
}
