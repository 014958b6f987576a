import { CampanileError } from '../../clients/typescript/failure.ts';
import { OfflineError, UnansweredError } from '../api/connection-errors.ts';
import { findMessage, locale, t, type PlainKey } from '../i18n/translate.ts';
import { count } from './numbers.ts';

/** What the service says of a field, where it can be said better beside one. */
const ISSUES: Readonly<Record<string, PlainKey>> = {
  'must begin with https://': 'issues.https',
  'must begin with https:// or http://': 'issues.httpOrHttps',
  'must be a URL': 'issues.url',
  'must not have a user name or a password': 'issues.noCredentials',
  'must not have a # part': 'issues.noFragment',
  'is not the present password': 'issues.wrongPassword',
  'has no proof of the last 10 minutes': 'issues.noProof',
  'is wrong, or was used before': 'issues.wrongCode',
  'is required: this user has a second factor': 'issues.codeRequired',
  'is too easy to guess: take three or four words that say nothing about you': 'issues.weakPassword',
  'is of a link that was used already, has expired or is not ours': 'issues.voidLink',
};
/** Errors whose code says more than the sentence of the service, which is in English. */
const CODES: Readonly<Record<string, PlainKey>> = {
  pairing_code_refused: 'problems.pairingCodeRefused',
  pairing_code_limited: 'problems.pairingCodeLimited',
  link_not_kept: 'problems.linkNotKept',
};
const HOUR_MS = 60 * 60 * 1_000;

/** Returns an error in words: what happened, and what to do next. */
export function problemText(error: unknown): string {
  if (!(error instanceof CampanileError)) return t('problems.unexpected');
  const { status, retryAfterMs } = error;
  if (error instanceof OfflineError) return error.isOffline ? t('problems.offline') : t('problems.notSent');
  if (error instanceof UnansweredError) return t('problems.unanswered');
  if (status === 0) return t('problems.unreachable');
  const known = CODES[error.errorCode ?? ''];
  if (known !== undefined) return t(known);
  if (status === 429 && retryAfterMs !== undefined && retryAfterMs > HOUR_MS)
    return t('problems.enoughToday', { hours: count(Math.ceil(retryAfterMs / HOUR_MS)) });
  if (status === 429) return t('problems.tooOften', { seconds: count(Math.ceil((retryAfterMs ?? 60_000) / 1_000)) });
  if (status === 413) return t('problems.tooLarge');
  if (status === 507) return t('problems.noRoom');
  if (status === 503) return t('problems.notNow', { why: sentence(error.message) });
  if (status >= 500) return t('problems.unexpected');
  const [first] = error.details;
  if (!first) return sentence(error.message);
  return knownIssue(first.issue) ?? sentence(`${fieldName(first.field)} ${first.issue}`);
}

/** Returns the first issue of each field, for a form. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof CampanileError)) return {};
  const problems: Record<string, string> = {};
  for (const { field, issue } of error.details)
    problems[field.split('.')[0] ?? field] ??= knownIssue(issue) ?? sentence(issue);
  return problems;
}

/** Returns the issues of a field with several values, each with its value: a path such as `participants.3` would tell the user nothing. */
export function entryProblems(error: unknown, field: string, entered: readonly string[]): string[] {
  if (!(error instanceof CampanileError)) return [];
  return error.details.flatMap((detail) => {
    const [name, index] = detail.field.split('.');
    const one = name === field && index !== undefined ? entered[Number(index)] : undefined;
    return one === undefined ? [] : [t('common.issueOf', { entered: one, issue: detail.issue })];
  });
}

/** Returns whether the error concerns single fields, which a form shows beside them. */
export function isInFields(error: unknown): boolean {
  return error instanceof CampanileError && error.details.length > 0;
}

function fieldName(field: string): string {
  const name = field.split('.')[0] ?? field;
  return findMessage(`fields.${name}`) ?? name.replaceAll('_', ' ');
}

function knownIssue(issue: string): string | undefined {
  const key = ISSUES[issue];
  return key === undefined ? undefined : t(key);
}

function sentence(text: string): string {
  const full = text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
