import { setImmediate } from 'node:timers/promises';
import { readLanguage } from '../../../content/fields/language.ts';
import type { PostChoices } from '../../../content/post/fill-post.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { compileChoice } from '../../../content/text/choose-text.ts';
import { inLanguage, type TranslatedText, type Translation } from '../../../content/post/translations.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import type { UnknownTags } from '../../../content/text/html-to-whatsapp.ts';
import type { Warning } from '../../../content/text/warnings.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { sql, type Connection } from '../../../platform/database/statements.ts';
import { fieldError, invalid, type FieldError } from '../../../platform/errors/errors.ts';
import { countLanguages } from '../../values/select-values.ts';
import { isBallot } from './ballot-problems.ts';
import type { CheckWarning } from './warn-of-frequency.ts';

export interface TranslatedPost {
  translations?: readonly Translation[] | undefined;
  unknownTags?: UnknownTags | undefined;
  withFields?: boolean | undefined;
  extras: PostExtras;
}

/** Converts the texts of a post in further languages, and returns what is wrong with each, and what its author will want to know. */
export async function prepareTranslations(
  convert: Convert,
  { translations = [], unknownTags, withFields, extras }: TranslatedPost,
): Promise<{ texts: TranslatedText[]; warnings: Warning[]; problems: FieldError[] }> {
  const texts: TranslatedText[] = [];
  const warnings: Warning[] = [];
  const problems: FieldError[] = [];
  if (translations.length > 0 && isBallot(extras)) problems.push(fieldError('translations', 'translations_of_ballot'));
  for (const [index, { language: named, html: sent }] of translations.entries()) {
    const field = `translations.${index}`;
    const language = readLanguage(named) ?? '';
    if (language === '') problems.push(fieldError(`${field}.language`, 'field_language'));
    else if (texts.some((text) => text.language === language))
      problems.push(fieldError(`${field}.language`, 'language_repeated'));
    // Each may be converted on this thread, where others have their turn in between.
    if (index > 0) await setImmediate();
    const converted = await convert(sent, unknownTags, withFields);
    const { text, html, template = { text, placeholders: [] } } = converted;
    problems.push(...converted.problems.map((problem) => ({ ...problem, field: `${field}.html` })));
    if (text === '' && converted.problems.length === 0) problems.push(fieldError(`${field}.html`, 'blank'));
    warnings.push(...converted.warnings.map(inLanguage(language)));
    texts.push({ language, html, ...template });
  }
  return { texts, warnings, problems };
}

/** Throws 400 for another text without the translations that a post has: groups would get those of the text before. */
export function requireTranslations(
  { translations }: Pick<TranslatedPost, 'translations'>,
  before: Pick<PostChoices, 'translations'>,
): void {
  if (translations === undefined && before.translations.length > 0)
    throw invalid([fieldError('translations', 'translations_left')]);
}

const NAMED_AT_MOST = 5;

/** Warns of groups that get the main text of a post with translations, and of translations that no group gets. */
export async function warnOfTranslations(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupIds, translations = [] }: { groupIds: readonly number[]; translations?: readonly Translation[] | undefined },
): Promise<CheckWarning[]> {
  if (translations.length === 0) return [];
  const choose = compileChoice(translations);
  const counted = await countLanguages(db, workspaceId, sql`unnest(${[...groupIds]}::bigint[]) i (group_id)`);
  const others = counted.filter(({ language }) => choose(language) === '');
  const groups = others.reduce((sum, one) => sum + one.groups, 0);
  const listed = others.slice(0, NAMED_AT_MOST).map((one) => `${one.language || 'no language'}: ${one.groups}`);
  const names = [...listed, ...(others.length > NAMED_AT_MOST ? ['…'] : [])].join(', ');
  const chosen = new Set(counted.map(({ language }) => choose(language)));
  const unused = translations.map(({ language }) => language).filter((language) => !chosen.has(language));
  return [
    ...(groups > 0
      ? [
          {
            code: 'main_text_groups',
            message: `${groups} of ${groupIds.length} groups get the main text: no translation is for their language (${names})`,
            params: { groups, of: groupIds.length, names },
          },
        ]
      : []),
    ...(unused.length > 0
      ? [
          {
            code: 'translations_unused',
            message: `No group gets the translation in ${unused.join(', ')}: set-group-fields sets the languages of groups`,
            params: { languages: unused.join(', ') },
          },
        ]
      : []),
  ];
}
