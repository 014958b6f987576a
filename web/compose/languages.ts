/** The texts of a post in further languages, and the groups that get them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { compileChoice } from '../../src/content/text/choose-text.ts';
import { fieldsQuery, sheetQuery } from '../groups/fields/field-queries.ts';
import { locale } from '../i18n/translate.ts';
import { isBallot } from './ballot.ts';
import type { Draft } from './draft.ts';
import { usePreview } from './use-preview.ts';

/** The language of the main text. */
export const MAIN = '';

let names: Intl.DisplayNames | undefined;

/** Returns the name of a language by its tag, as a heading. Many languages write it small within a sentence. */
export function languageName(tag: string): string {
  names ??= new Intl.DisplayNames(locale, { type: 'language' });
  const name = names.of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

type Texts = Pick<Draft, 'html' | 'translations'>;

export function textIn({ html, translations }: Texts, language: string): string {
  return translations.find((one) => one.language === language)?.html ?? html;
}

/** Returns the change that makes this the text in a language. */
export function withText({ translations }: Texts, language: string, html: string): Partial<Texts> {
  if (language === MAIN) return { html };
  return { translations: translations.map((one) => (one.language === language ? { language, html } : one)) };
}

/** The language that is written in, and previews of the main text and of that one. */
export function useTexts(draft: Draft, hasFile: boolean) {
  const [chosen, write] = useState(MAIN);
  const language = draft.translations.some((one) => one.language === chosen) ? chosen : MAIN;
  const { withFields } = draft;
  const [main, own] = isBallot(draft) ? ['', ''] : [draft.html, textIn(draft, language)];
  const shown = usePreview(main, { hasFile, withFields });
  const written = usePreview(own, { hasFile, withFields });
  const error = shown.error ?? written.error;
  const isSettled = shown.isSettled && written.isSettled;
  return { language, write, shown, written, preview: shown.preview, error, isSettled };
}

/** The languages of groups by their ids, and the function that chooses the text of a group; undefined until they are known. */
export function useLanguages(translations: Draft['translations'], { isEnabled }: { isEnabled: boolean }) {
  const { data: fields } = useQuery({ ...fieldsQuery, enabled: isEnabled });
  const { data: groups } = useQuery({ ...sheetQuery, enabled: isEnabled });
  if (!isEnabled || !fields || !groups) return undefined;
  const field = fields.find(({ kind }) => kind === 'language')?.name;
  const known = new Map(groups.map((group) => [group.group_metadata_id, group.fields?.[field ?? ''] ?? '']));
  const choose = compileChoice(translations);
  return { hasField: field !== undefined, known, textOf: (groupId: number) => choose(known.get(groupId)) };
}
