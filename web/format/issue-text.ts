import { findMessage, findText, t } from '../i18n/translate.ts';

/** An issue of the service, with its stable code and figures. */
export interface Issue {
  code?: string | undefined;
  params?: Readonly<Record<string, string | number>> | undefined;
}

/** Sentences that are about any field: in a place of their own they need its name. */
const ABOUT_ANY = new Set([
  'required',
  'empty',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'too_high',
  'too_low',
  'taken',
  'in_past',
  'too_late',
  'other',
]);

/** Returns the issue as a sentence in the language of the page. One that only programs can cause is worded in general. */
export function issueText({ code = 'other', params }: Issue): string {
  return findText(`issues.${code}`, params) ?? t('issues.other');
}

/** Returns the issue of a field for a place that is not beside the field. */
export function fieldIssueText(field: string, issue: Issue): string {
  const name = findMessage(`fields.${field.split('.')[0] ?? field}`);
  const text = issueText(issue);
  const isGeneral = ABOUT_ANY.has(issue.code ?? 'other') || text === t('issues.other');
  return isGeneral && name !== undefined ? t('common.issueOf', { entered: name, issue: text }) : text;
}
