import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { cutSentence } from '../../platform/errors/cut-sentence.ts';
import { AppError, invalid, fieldError, type FieldError } from '../../platform/errors/errors.ts';
import { idempotencyOf } from '../contract/define-operations.ts';
import type { Operation } from '../operation.ts';
import { findUnknownFields, isRecord, MAX_REPORTED, validFields } from './body-fields.ts';
import { readOtherForms } from './other-forms.ts';
import { putTextIntoHtml } from './typed-text.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields and headers that the operation ignores, and the fields in another form than theirs; null before the body is read. */
    ignoredFields: readonly FieldError[] | null;
    /** Whether the message was sent as `text`. */
    hasText: boolean;
    /** Sentences of the operation for the warnings header; null: none. */
    warnings: readonly string[] | null;
  }
}

/** Sentences in quotes between commas, so that brackets around them make JSON (a list of strings by RFC 9651). */
export const WARNINGS_HEADER = 'x-campanile-warnings';
const SEPARATOR = ', ';
/** Proxies such as nginx take 4 KiB for all headers of an answer by default. */
const HEADER_LIMIT_BYTES = 3_072;
const KEY_HEADER = 'idempotency-key';
const STRICT = /(?:^|[,;\s])handling\s*=\s*"?strict\b/i;

/**
 * Collects the fields and headers of a request that the operation ignores, and the fields in another form, which it puts into theirs. Must
 * run before validation replaces the body.
 */
export function settleBody(operation: Operation): preValidationHookHandler {
  const readsHeaders = Object.keys(operation.requestHeaders ?? {}).map((name) => name.toLowerCase());
  const takesKey = idempotencyOf(operation) === 'keyed' || readsHeaders.includes(KEY_HEADER);
  return (request, _reply, done) => {
    const typed = putTextIntoHtml(operation.body, request.body);
    request.hasText = typed?.isTyped ?? false;
    const { body, found } = readOtherForms(operation.body, typed?.body ?? request.body);
    request.body = body;
    const unknown = findUnknownFields(operation.body, body);
    const key = request.headers[KEY_HEADER] === undefined || takesKey ? [] : [KEY_MEANS_NOTHING];
    request.ignoredFields = [...unknown, ...found, ...key];
    done();
  };
}

const KEY_MEANS_NOTHING: FieldError = fieldError('Idempotency-Key', 'unsupported_header');

/** Returns the ignored fields as sentences, for answers with a field for them. */
export function warningsOf(request: FastifyRequest): string[] {
  return (request.ignoredFields ?? []).map(({ field, issue }) => `${field} ${issue}`);
}

export function addWarningsHeader(request: FastifyRequest, reply: FastifyReply): void {
  const warnings = [...(request.warnings ?? []), ...warningsOf(request)].slice(0, MAX_REPORTED);
  let room = HEADER_LIMIT_BYTES;
  const fitting = warnings.map(quote).filter((quoted) => (room -= quoted.length + SEPARATOR.length) >= 0);
  if (fitting.length > 0) reply.header(WARNINGS_HEADER, fitting.join(SEPARATOR));
}

/** Returns a sentence, or its beginning, as a JSON string in ASCII, since a header takes nothing else. */
function quote(sentence: string): string {
  // One sentence always fits, even in escapes of six bytes a letter.
  return JSON.stringify(cutSentence(sentence)).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Throws an error with all problems of a body at once, types and content. With `Prefer: handling=strict` ignored fields are problems, too.
 */
export async function assertValidBody(
  operation: Operation,
  request: FastifyRequest,
  actor: Actor | undefined,
): Promise<void> {
  const { validationError } = request;
  const isStrict = STRICT.test(String(request.headers['prefer'] ?? ''));
  const ignoredFields = isStrict ? (request.ignoredFields ?? []) : [];
  if (!validationError) {
    const [first] = ignoredFields;
    if (first) throw new AppError('unknown_field', `${first.field} ${first.issue}`, { details: ignoredFields });
    return;
  }
  if (!(validationError instanceof AppError) || validationError.details.length === 0) throw validationError;
  const named = validationError.details.map((one) => nameOtherField(one, request.body));
  const content = await findMore(operation, request, actor);
  const isText = named.some(({ field }) => field === 'text');
  // Of a wrong text, `html` is missing or in its way: that is the same fault.
  const isSame = ({ field }: FieldError) => isText && field === 'html';
  // Of a field with a wrong part nothing is known as a whole.
  const isNew = ({ field }: FieldError) => named.every((one) => !`${one.field}.`.startsWith(`${field}.`));
  throw invalid([...[...named, ...content.filter(isNew)].filter((one) => !isSame(one)), ...ignoredFields]);
}

/** What other services call the text of a message. */
const NAMES_OF_TEXT = ['message', 'body', 'content', 'caption', 'msg'];

/** Of a missing text says where it may have been sent. */
function nameOtherField(problem: FieldError, body: unknown): FieldError {
  if (problem.field !== 'html' || problem.code !== 'required' || !isRecord(body)) return problem;
  const sent = NAMES_OF_TEXT.find((name) => typeof body[name] === 'string');
  return sent === undefined ? problem : fieldError('html', 'sent_as_other', { sent });
}

async function findMore(
  operation: Operation,
  request: FastifyRequest,
  actor: Actor | undefined,
): Promise<readonly FieldError[]> {
  if (operation.access === 'open' || !operation.validateSemantics || !actor) return [];
  return operation.validateSemantics(validFields(operation.body, request.body), actor);
}
