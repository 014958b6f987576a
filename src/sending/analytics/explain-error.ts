import { SKIPPED } from '../campaigns/begin/skip-readers.ts';

/** What follows the code of a failure, and its reason where there is one: what it means, and what to do. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/^expired\b/, '. Check that your account is connected, then send the post again if it is still relevant'],
  [/^outcome_unknown\b/, '. The post may have arrived. Check the group before you send it again, to avoid duplicates'],
];

const BY_ITSELF = 'The service retries automatically';

/**
 * Returns the last error of a delivery as a sentence for the manager of the groups: the cause, and what to do. A known code stays in
 * front for programs; the text of an unknown error is the messenger's. `isWaiting`: another attempt follows.
 */
export function explainError(error: string, isWaiting: boolean): string {
  if (isWaiting) return `${error.replace(/^outcome_unknown: /, '')}. ${BY_ITSELF}`;
  return `${error}${ADVICE.find(([code]) => code.test(error))?.[1] ?? ''}`;
}

/** Returns why a group got no post: an error in words, or why a follow-up left it out (`read by 72 %`). */
export function explainUnsent(
  error: string | null,
  isWaiting: boolean,
): { error: string | null; skipped: string | null } {
  if (error?.startsWith(SKIPPED)) return { error: null, skipped: error.slice(SKIPPED.length) };
  return { error: error === null ? null : explainError(error, isWaiting), skipped: null };
}
