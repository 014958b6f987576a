import { CampanileError } from '../../clients/typescript/failure.ts';
import { OfflineError, UnansweredError } from '../api/connection-errors.ts';
import { words } from '../words/words.ts';
import { count } from './numbers.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** Returns an error in words: what happened, and what to do next. */
export function problemText(error: unknown): string {
  if (!(error instanceof CampanileError)) return words.problems.unexpected;
  const { code, retryAfterMs } = error;
  if (error instanceof OfflineError) return error.isOffline ? words.problems.offline : words.problems.notSent;
  if (error instanceof UnansweredError) return words.problems.unanswered;
  if (code === 0) return words.problems.unreachable;
  if (code === 429 && retryAfterMs !== undefined && retryAfterMs > HOUR_MS)
    return words.problems.enoughToday(count(Math.ceil(retryAfterMs / HOUR_MS)));
  if (code === 429) return words.problems.tooOften(count(Math.ceil((retryAfterMs ?? 60_000) / 1_000)));
  if (code === 413) return words.problems.tooLarge;
  if (code === 507) return words.problems.noRoom;
  if (code === 503) return words.problems.notNow(sentence(error.message));
  if (code >= 500) return words.problems.unexpected;
  const [first] = error.details;
  if (!first) return sentence(error.message);
  return words.issues[first.issue] ?? sentence(`${fieldName(first.field)} ${first.issue}`);
}

/** Returns the first issue of each field, for a form. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof CampanileError)) return {};
  const problems: Record<string, string> = {};
  for (const { field, issue } of error.details)
    problems[field.split('.')[0] ?? field] ??= words.issues[issue] ?? sentence(issue);
  return problems;
}

/** Returns the issues of a field with several values, each with its value: a path such as `participants.3` would tell the user nothing. */
export function entryProblems(error: unknown, field: string, entered: readonly string[]): string[] {
  if (!(error instanceof CampanileError)) return [];
  return error.details.flatMap((detail) => {
    const [name, index] = detail.field.split('.');
    const one = name === field && index !== undefined ? entered[Number(index)] : undefined;
    return one === undefined ? [] : [words.issueOf(one, detail.issue)];
  });
}

/** Returns whether the error concerns single fields, which a form shows beside them. */
export function isInFields(error: unknown): boolean {
  return error instanceof CampanileError && error.details.length > 0;
}

function fieldName(field: string): string {
  const name = field.split('.')[0] ?? field;
  return Reflect.get(words.fields, name) ?? name.replaceAll('_', ' ');
}

function sentence(text: string): string {
  const full = text.charAt(0).toLocaleUpperCase(words.locale) + text.slice(1);
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
