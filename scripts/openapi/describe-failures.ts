import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.ts';
import type { DocumentedResponse } from './document-types.ts';
import { statusOf } from '../../src/api/server/envelope.ts';
import { listCommonErrorCodes, listOwnErrorCodes, type Failing } from './operation-errors.ts';
import { RATE_HEADERS } from '../../src/api/server/rate-limits.ts';
import { HEADERS, type Shared } from './shared-components.ts';

const HEADERS_OF: Readonly<Record<number, ReadonlyArray<keyof typeof HEADERS>>> = {
  401: ['www-authenticate'],
  429: [...RATE_HEADERS, 'retry-after'],
  503: ['retry-after'],
};
/** A response whose name would have more parts than this is an operation's own, and stands in it. */
const MOST_PARTS_IN_NAME = 4;

/**
 * Returns the documented failures of an operation: a response for each status that it has a code of its own for, and the ranges `4XX` and
 * `5XX` for the failures of all operations with its access. Each has the codes that the operation can answer.
 */
export function describeFailures(operation: Failing, shared: Shared): Record<string, DocumentedResponse> {
  const common = listCommonErrorCodes(operation);
  const own = Map.groupBy(listOwnErrorCodes(operation), statusOf);
  const responses = [...own].map(([status, codes]): [string, DocumentedResponse] => {
    const parts = listNameParts(codes);
    const name = parts.length > MOST_PARTS_IN_NAME ? undefined : nameOf(parts, codes, operation);
    const all = [...codes, ...common.filter((code) => statusOf(code) === status)];
    const response = describeFailure(codes.map(describeCode), [status], all, shared);
    return [String(status), name === undefined ? response : shared.refer('responses', name, response)];
  });
  const requests = common.filter(isOfRequest);
  const services = common.filter((code) => !isOfRequest(code));
  return {
    ...Object.fromEntries(responses),
    '4XX': shared.refer('responses', nameOfCommon(operation), describeCommon(requests, shared)),
    '5XX': shared.refer('responses', 'ServiceFailure', describeCommon(services, shared)),
  };
}

function isOfRequest(code: ErrorCode): boolean {
  return statusOf(code) < 500;
}

function describeCode(code: ErrorCode): string {
  return `- \`${code}\`: ${ERROR_CODES[code][1]}`;
}

function describeCommon(codes: readonly ErrorCode[], shared: Shared): DocumentedResponse {
  const statuses = [...new Set(codes.map(statusOf))].toSorted((a, b) => a - b);
  const line = `Failures of all operations with this access: ${statuses.join(', ')}`;
  return describeFailure([line], statuses, codes, shared);
}

function describeFailure(
  lines: readonly string[],
  statuses: readonly number[],
  codes: readonly ErrorCode[],
  shared: Shared,
): DocumentedResponse {
  const names = [...new Set(statuses.flatMap((status) => HEADERS_OF[status] ?? []))];
  const narrowed = { properties: { error_code: { enum: codes } } };
  return {
    description: lines.join('\n'),
    ...(names.length > 0 && {
      headers: Object.fromEntries(names.map((name) => [name, shared.refer('headers', name, HEADERS[name])])),
    }),
    content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Failure' }, narrowed] } } },
  };
}

/** Returns what the name of a response is made of: its codes. Those of an `Idempotency-Key` always come together. */
function listNameParts(codes: readonly ErrorCode[]): string[] {
  return [...new Set(codes.map((code) => (code.startsWith('idempotency_key_') ? 'idempotency_key' : code)))];
}

/** Returns the name of a response in the document. Open and personal operations have fewer codes of the same status. */
function nameOf(parts: readonly string[], codes: readonly ErrorCode[], { access, role = 'none' }: Failing): string {
  const has = (statuses: readonly number[]) => codes.some((code) => statuses.includes(statusOf(code)));
  const isOpen = access === 'open' && has([401, 403, 429]);
  const isPersonal = access !== 'open' && role === 'none' && has([403, 404]);
  return parts.map(pascalCase).join('Or') + (isOpen ? 'Openly' : isPersonal ? 'Personally' : '');
}

function nameOfCommon({ access, role = 'none', hasBody = true, requiresRecentAuth = false }: Failing): string {
  const whose = access !== 'open' && role === 'none' ? 'Personal' : '';
  const credentials = access === 'open' ? 'Request' : access === 'token' ? 'Token' : 'TokenOrKey';
  return `${whose}${credentials}${requiresRecentAuth ? 'Proof' : ''}${hasBody ? '' : 'Get'}Failure`;
}

/** `campaign_not_found`, `get-campaign` and `campaign.late` in the case of a type. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
