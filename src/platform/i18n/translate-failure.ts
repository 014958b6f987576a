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
