import type { Connection } from '../../platform/database/connect.ts';
import { readValue } from '../../platform/database/statements.ts';
import { FAILURES } from '../../platform/errors/failures.ts';
import { DEFAULT_LANGUAGE, isLanguage, negotiateLanguage } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import { translateFailure } from '../../platform/i18n/translate-failure.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { ExplainedFailure } from './explain-failure.ts';

/** Returns what happened, and what to do; null: nothing failed. */
export type SayFailure = (failure: Pick<ExplainedFailure, 'errorCode' | 'errorParams'>) => string | null;

/** Words failures in the language of a user. `accepted`: the `Accept-Language` of the request, for a user who has chosen none. */
export async function sayFailuresTo(
  db: Connection,
  { userId }: Pick<Actor, 'userId'>,
  accepted: string | undefined,
): Promise<SayFailure> {
  const chosen = await readValue<string | null>(db)`select language from users where user_id = ${userId}`;
  const language = chosen != null && isLanguage(chosen) ? chosen : negotiateLanguage(accepted);
  const translate = translatorFor(language ?? DEFAULT_LANGUAGE);
  return ({ errorCode, errorParams }) => {
    if (errorCode === null) return null;
    const { what, advice } = translateFailure(translate, errorCode, errorParams ?? {});
    const sentence = what.charAt(0).toUpperCase() + what.slice(1);
    return FAILURES[errorCode][0] === 'skipped' ? sentence : `${sentence} ${advice}`;
  };
}
