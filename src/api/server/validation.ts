import type { z } from 'zod';
import { AppError, invalid, type FieldError } from '../../platform/errors/errors.ts';

/**
 * Validates a request body against its schema. Returns the parsed value for the handler, or a 400 with one problem per field in plain
 * words.
 */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { value: z.output<Schema> } | { error: AppError } {
  // Of a request without a body and without a content type Fastify makes null; where nothing is required that is as good as {}.
  const result = schema.safeParse(body ?? {}, { error: describeIssue });
  return result.success ? { value: result.data } : { error: refusal(result.error.issues) };
}

function refusal(issues: readonly z.core.$ZodIssue[]): AppError {
  const problems = new Map<string, FieldError>();
  for (const { path, message } of issues) {
    if (path.length === 0) return new AppError('body_not_json', 'The body must be a JSON object');
    const field = path.map(String).join('.');
    if (!problems.has(field)) problems.set(field, { field, issue: message });
  }
  return invalid([...problems.values()]);
}

const TYPE_MESSAGES: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  guid: 'must be a UUID',
  safeint: 'must be a whole number',
};

/** Messages for the checks that have no message in their schema. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_MESSAGES[issue.expected] ?? `must be of type ${issue.expected}`;
    case 'invalid_format':
      return FORMAT_MESSAGES[issue.format] ?? 'is malformed';
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

function tooBig(origin: string, maximum: number): string {
  if (origin === 'string') return `must be at most ${maximum} characters`;
  if (origin === 'array') return `must have at most ${maximum} entries`;
  return `must be at most ${maximum}`;
}

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'string' && minimum === 1) return 'must not be empty';
  if (origin === 'string') return `must be at least ${minimum} characters`;
  if (origin === 'array' && minimum === 1) return 'must not be empty';
  if (origin === 'array') return `must have at least ${minimum} entries`;
  return `must be at least ${minimum}`;
}
