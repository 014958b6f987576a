import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.ts';
import type { DocumentedResponse } from './document-types.ts';
import { statusOf } from '../../src/api/server/envelope.ts';
import { listOwnErrorCodes, type Failing } from './operation-errors.ts';
import { RATE_HEADERS } from '../../src/api/server/rate-limits.ts';
import { HEADERS, type Shared } from './shared-components.ts';

const HEADERS_OF: Readonly<Record<number, ReadonlyArray<keyof typeof HEADERS>>> = {
  401: ['www-authenticate'],
  429: [...RATE_HEADERS, 'retry-after'],
  503: ['retry-after'],
};
/** The names of the responses are those of the statuses. Any other status is one of `default`. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
};

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/**
 * Returns the documented failures of an operation: a response for each status that it has a code of its own for, which names these codes,
 * and `default` for the failures that all operations have in common. The shared responses say what each code means.
 */
export function describeFailures(operation: Failing, shared: Shared): Record<string, object> {
  const own = Map.groupBy(listOwnErrorCodes(operation), statusOf);
  const responses = [...own].flatMap(([status, codes]): Array<[string, object]> => {
    const name = NAMES[status];
    if (name === undefined) return [];
    const description = codes.map((code) => `\`${code}\``).join(', ');
    return [[String(status), { ...shared.refer('responses', name, describeStatus(status, shared)), description }]];
  });
  return {
    ...Object.fromEntries(responses),
    default: shared.refer('responses', 'Failed', describeOthers(shared)),
  };
}

function describeStatus(status: number, shared: Shared): DocumentedResponse {
  const codes = CODES.filter((code) => statusOf(code) === status);
  const narrowed = { properties: { error_code: { enum: codes } } };
  return {
    description: codes.map(describeCode).join('\n'),
    ...withHeaders(HEADERS_OF[status] ?? [], shared),
    content: { 'application/json': { schema: { allOf: [FAILURE, narrowed] } } },
  };
}

/** The codes that no response of a status explains are explained here. */
function describeOthers(shared: Shared): DocumentedResponse {
  const lines = CODES.filter((code) => !(statusOf(code) in NAMES)).map(describeCode);
  const names = [...new Set(Object.values(HEADERS_OF).flat())];
  return {
    description: ['Any other failure, by its status. Also:', ...lines].join('\n'),
    ...withHeaders(names, shared),
    content: { 'application/json': { schema: FAILURE } },
  };
}

const FAILURE = { $ref: '#/components/schemas/Failure' };

function withHeaders(names: ReadonlyArray<keyof typeof HEADERS>, shared: Shared): Pick<DocumentedResponse, 'headers'> {
  if (names.length === 0) return {};
  return {
    headers: Object.fromEntries(names.map((name) => [name, shared.refer('headers', name, HEADERS[name])])),
  };
}

function describeCode(code: ErrorCode): string {
  return `- \`${code}\`: ${ERROR_CODES[code][1]}`;
}

/** `campaign_not_found`, `get-campaign` and `campaign.late` in the case of a type. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
