import { FAILURES, isFailureCode, type FailureCode, type FailureParams } from '../errors/failures.ts';
import type { Translate } from './translator.ts';

/** Returns in the translator's language why a post was not sent, and what its owner can do. */
export function translateFailure(
  translate: Translate,
  code: FailureCode,
  params: FailureParams,
): { what: string; advice: string } {
  const [, advice] = FAILURES[code];
  const say = translate as (key: string, parameters: FailureParams) => string;
  const { cause } = params;
  const why = isFailureCode(cause) && cause !== code ? say(`failures.codes.${cause}`, params) : '';
  return {
    what: say(`failures.codes.${code}`, { ...params, cause: why }),
    advice: say(`failures.advice.${advice}`, {}),
  };
}

/** Returns both as sentences; of a post that was left out on purpose the reason alone. */
export function failureSentence(translate: Translate, code: FailureCode, params: FailureParams): string {
  const { what, advice } = translateFailure(translate, code, params);
  const sentence = what.charAt(0).toUpperCase() + what.slice(1);
  return FAILURES[code][0] === 'skipped' ? sentence : `${sentence} ${advice}`;
}
