import type { z } from 'zod';
import { AppError, invalid, describeIssue, type FieldError, type Issue } from '../../platform/errors/errors.ts';
import { nameOfPath } from './body-fields.ts';
import { ISSUES, type IssueCode } from '../../platform/errors/issues.ts';

/**
 * Validates a request body against its schema. Returns the parsed value for the handler, or a 400 with one problem per field in plain
 * words.
 */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { value: z.output<Schema> } | { error: AppError } {
  // Of a request without a body and without a content type Fastify makes null; where nothing is required that is as good as {}.
  const result = schema.safeParse(body ?? {}, { error: (issue) => describeZodIssue(issue).issue });
  return result.success ? { value: result.data } : { error: refusal(result.error.issues) };
}

function refusal(issues: readonly z.core.$ZodIssue[]): AppError {
  const problems = new Map<string, FieldError>();
  for (const issue of issues) {
    const { path } = issue;
    if (path.length === 0) return new AppError('body_not_json', 'The body must be a JSON object');
    const field = nameOfPath(path);
    if (!problems.has(field)) problems.set(field, { field, ...codeIssue(issue) });
  }
  return invalid([...problems.values()]);
}

/** The codes of sentences without parameters: zod passes on the sentence of a schema and nothing else. */
const CODES = new Map<string, IssueCode>(
  Object.entries(ISSUES).map(([code, sentence]) => [sentence, code as IssueCode]),
);

/** Returns the issue with the code of its sentence. A check of a schema may name its code as `params`. */
function codeIssue(issue: z.core.$ZodIssue): Pick<FieldError, 'issue' | 'code' | 'params'> {
  const { message } = issue;
  const code = CODES.get(message);
  if (code !== undefined) return { issue: message, code };
  if (issue.code === 'custom') return { issue: message, code: (issue.params?.['code'] as IssueCode) ?? 'invalid' };
  // What was sent is known only while it is checked; that it is missing has its own sentence.
  const own = describeZodIssue({ ...issue, input: null } as z.core.$ZodRawIssue);
  return own.issue === message ? own : { issue: message, code: 'invalid' };
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, IssueCode>> = {
  email: 'email_address',
  uuid: 'uuid',
  guid: 'uuid',
  safeint: 'whole_number',
};

/** The issues of checks that have no message in their schema. */
function describeZodIssue(issue: z.core.$ZodRawIssue): Issue {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return describeIssue('required');
  switch (issue.code) {
    case 'invalid_type':
      return describeIssue('wrong_type', { expected: TYPES[issue.expected] ?? `of type ${issue.expected}` });
    case 'invalid_format':
      return describeIssue(FORMATS[issue.format] ?? 'wrong_format');
    case 'invalid_value':
      return describeIssue('wrong_value', {
        values: `${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`,
      });
    case 'too_big':
      return describeIssue(tooBig(issue.origin), { limit: Number(issue.maximum) });
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'not_multiple_of':
      return describeIssue('not_multiple', { of: Number(issue.divisor) });
    default:
      return describeIssue('invalid');
  }
}

function tooBig(origin: string): IssueCode {
  if (origin === 'string') return 'too_long';
  return origin === 'array' ? 'too_many' : 'too_high';
}

function tooSmall(origin: string, limit: number): Issue {
  if (origin !== 'string' && origin !== 'array') return describeIssue('too_low', { limit });
  if (limit === 1) return describeIssue('empty');
  return describeIssue(origin === 'string' ? 'too_short' : 'too_few', { limit });
}
