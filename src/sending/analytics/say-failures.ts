import type { Language } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import { failureSentence } from '../../platform/i18n/translate-failure.ts';
import type { ExplainedFailure } from './explain-failure.ts';

/** Returns what happened, and what to do; null: nothing failed. */
export type SayFailure = (failure: Pick<ExplainedFailure, 'errorCode' | 'errorParams'>) => string | null;

/** Words failures in a language. */
export function sayFailuresIn(language: Language): SayFailure {
  const translate = translatorFor(language);
  return ({ errorCode, errorParams }) => errorCode && failureSentence(translate, errorCode, errorParams ?? {});
}
