import { CampanileError } from '../../client/failure.ts';
import { words } from '../words/words.ts';
import { count } from './numbers.ts';

/** An error in words: what happened, and what to do next. */
export function problemText(error: unknown): string {
  if (!(error instanceof CampanileError)) return words.problems.unexpected;
  const { code, retryAfterMs } = error;
  if (code === 0) return words.problems.unreachable;
  if (code === 429) return words.problems.tooOften(count(Math.ceil((retryAfterMs ?? 60_000) / 1_000)));
  if (code === 413) return words.problems.tooLarge;
  if (code === 503) return words.problems.notNow(sentence(error.message));
  if (code >= 500) return words.problems.unexpected;
  const [first] = error.details;
  return sentence(first ? `${fieldName(first.field)} ${first.issue}` : error.message);
}

/** The issues of single fields, for a form: the first of each, by the field's first name. */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof CampanileError)) return {};
  const problems: Record<string, string> = {};
  for (const { field, issue } of error.details) problems[field.split('.')[0] ?? field] ??= sentence(issue);
  return problems;
}

/** Whether it is about single fields, beside which a form says it. */
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
