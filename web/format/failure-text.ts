import { FAILURES, isFailureCode, type Advice, type FailureParams } from '../../src/platform/errors/failures.ts';
import { failureSentence, translateFailure } from '../../src/platform/i18n/translate-failure.ts';
import { t } from '../i18n/translate.ts';

/** A failure of the service: in English, and by its code. */
export interface CodedFailure {
  error?: string | null | undefined;
  error_code?: string | undefined;
  error_params?: FailureParams | undefined;
}

interface FailureText {
  what: string;
  /** What to do; empty: `what` says it. */
  todo: string;
  /** Undefined of a code that this page does not know. */
  advice?: Advice;
}

/** Returns why a post was not sent in the language of the page; a reason of a service that is newer than this page as the service words it. */
export function failureText({ error, error_code: code, error_params: params = {} }: CodedFailure): FailureText {
  if (!isFailureCode(code)) return { what: error ?? t('campaign.noReason'), todo: '' };
  const { what, advice: todo } = translateFailure(t, code, params);
  return { what, todo, advice: FAILURES[code][1] };
}

/** Returns why something was not done, and what to do, as sentences of their own. */
export function failureNote({ error, error_code: code, error_params: params = {} }: CodedFailure): string {
  return isFailureCode(code) ? failureSentence(t, code, params) : `${error ?? t('campaign.noReason')}.`;
}
