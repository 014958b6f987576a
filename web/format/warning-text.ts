import { findText } from '../i18n/translate.ts';
import type { Issue } from './issue-text.ts';
import { dateName } from './time.ts';

type Warning = Issue & { code: string; message: string };

/** Returns a warning in the language of the page; one of a service that is newer than this page as the service words it. */
export function warningText({ code, params, message }: Warning): string {
  return findText(`warnings.${code}`, params) ?? message;
}

/** The same, with the date of its figures in words, and the account that it is about where there are several. */
export function localisedText(warning: Warning): string {
  const { date, account } = warning.params ?? {};
  const text = warningText(
    typeof date === 'string' ? { ...warning, params: { ...warning.params, date: dateName(date) } } : warning,
  );
  return account === undefined ? text : `${account}: ${text}`;
}
