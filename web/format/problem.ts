import { CampanileError } from '../../clients/typescript/failure.ts';
import { OfflineError, UnansweredError } from '../api/connection-errors.ts';
import { findMessage, t } from '../i18n/translate.ts';
import { fieldIssueText, issueText } from './issue-text.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** Returns an error in words: what happened, and what to do next. */
export function problemText(error: unknown): string {
  if (!(error instanceof CampanileError)) return t('problems.unexpected');
  const { status, retryAfterMs, errorCode = '' } = error;
  if (error instanceof OfflineError) return error.isOffline ? t('problems.offline') : t('problems.notSent');
  if (error instanceof UnansweredError) return t('problems.unanswered');
  if (status === 0) return t('problems.unreachable');
  const known = findMessage(`problems.codes.${errorCode}`);
  if (known !== undefined) return known;
  if (status === 429 && retryAfterMs !== undefined && retryAfterMs > HOUR_MS)
    return t('problems.enoughToday', { hours: Math.ceil(retryAfterMs / HOUR_MS) });
  if (status === 429) return t('problems.tooOften', { seconds: Math.ceil((retryAfterMs ?? 60_000) / 1_000) });
  if (status === 413) return t('problems.tooLarge');
  if (status === 507) return t('problems.noRoom');
  if (status === 503) return t('problems.notNow', { why: t('problems.busy') });
  if (status >= 500) return t('problems.unexpected');
  const [first] = error.details;
  return first ? fieldIssueText(first.field, first) : t('problems.other');
}

/** Returns the first issue of each field, for a form. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof CampanileError)) return {};
  const problems: Record<string, string> = {};
  for (const { field, ...issue } of error.details) problems[field.split('.')[0] ?? field] ??= issueText(issue);
  return problems;
}

/** Returns the issues of a field with several values, each with its value: a path such as `participants.3` would tell the user nothing. */
export function entryProblems(error: unknown, field: string, entered: readonly string[]): string[] {
  if (!(error instanceof CampanileError)) return [];
  return error.details.flatMap((detail) => {
    const [name, index] = detail.field.split('.');
    const one = name === field && index !== undefined ? entered[Number(index)] : undefined;
    return one === undefined ? [] : [t('common.issueOf', { entered: one, issue: issueText(detail) })];
  });
}

/** Returns whether the error concerns single fields, which a form shows beside them. */
export function isInFields(error: unknown): boolean {
  return error instanceof CampanileError && error.details.length > 0;
}
