import { findText } from '../i18n/translate.ts';
import type { Issue } from './issue-text.ts';

/** Returns a warning in the language of the page; one of a service that is newer than this page as the service words it. */
export function warningText({ code, params, message }: Issue & { code: string; message: string }): string {
  return findText(`warnings.${code}`, params) ?? message;
}
