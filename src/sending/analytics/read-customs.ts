import { readRow, type Connection } from '../../platform/database/statements.ts';
import {
  DEFAULT_LANGUAGE,
  isLanguage,
  LANGUAGES,
  negotiateLanguage,
  type Language,
} from '../../platform/i18n/languages.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';

/** What the reader of an export is used to. */
export interface Customs {
  language: Language;
  /** IANA. */
  timeZone: string;
  /** Excel parts the cells of a CSV file by semicolons where a comma begins the decimals. */
  separator: ',' | ';';
}

const TAG_WITH_REGION = /^[a-z]{2}-[A-Z]{2}$/;

/**
 * Reads what a user has chosen. `accepted`: the `Accept-Language` of the request, for a user who has chosen no language, and for the region;
 * `timeZone`: for a user who has chosen none.
 */
export async function readCustoms(
  { db, timeZone }: { db: Connection; timeZone: string },
  { userId }: Pick<Actor, 'userId'>,
  accepted: string | undefined,
): Promise<Customs> {
  const user = await readRow<{ language: string | null; timeZone: string | null }>(db)`
    select language, time_zone as "timeZone" from users where user_id = ${userId}`;
  const chosen = user?.language ?? '';
  const language = isLanguage(chosen) ? chosen : (negotiateLanguage(accepted) ?? DEFAULT_LANGUAGE);
  const regions = (accepted ?? '').split(/[,;]/).map((tag) => tag.trim());
  const isOfLanguage = (tag: string) => TAG_WITH_REGION.test(tag) && tag.slice(0, 2) === language.slice(0, 2);
  const locale = regions.find(isOfLanguage) ?? LANGUAGES[language].locale;
  const hasDecimalComma = (0.5).toLocaleString(locale, { numberingSystem: 'latn' }).includes(',');
  return {
    language,
    timeZone: knownTimeZone(user?.timeZone ?? null, timeZone),
    separator: hasDecimalComma ? ';' : ',',
  };
}
