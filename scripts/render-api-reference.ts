/**
 * Renders the pages of docs/reference/api from the service's OpenAPI document and an example of each operation. The examples are
 * requests that test/project/api-reference.slow.test.ts sends, which also compares the pages and writes them: `npm run docs`.
 */
import type { Example } from '../test/support/api-reference/recorder.ts';
import {
  dataSchemaOf,
  follow,
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from '../test/support/api-reference/document.ts';
import { ERROR_CODES, type ErrorCode } from '../src/platform/errors/error-codes.ts';
import { statusOf } from '../src/api/server/envelope.ts';
import { listContracts } from '../src/api/contract/contract.ts';
import { eventsOperation } from '../src/api/contract/events.ts';
import { listCommonErrorCodes, listOwnErrorCodes, type Failing } from './openapi/operation-errors.ts';
import { formatJson } from './format-json.ts';
import { listFields, renderFieldTable } from './render-fields.ts';

/** The index describes them once. */
const COMMON_CODES = new Set([
  ...listCommonErrorCodes({ access: 'read', role: 'analyst', requiresRecentAuth: true }),
  ...listCommonErrorCodes({ access: 'token', role: 'none' }),
]);

interface Documented {
  method: 'POST' | 'GET';
  path: string;
  operation: OpenApiOperation;
}

/** Returns the text of each page by its name: one for each tag of the document, and the index. */
export function renderApiReference(
  document: OpenApiDocument,
  examples: ReadonlyMap<string, Example>,
): Map<string, string> {
  const all = Object.entries(document.paths).flatMap(([path, { post, get }]): Documented[] => [
    ...(post ? [{ method: 'POST' as const, path, operation: post }] : []),
    ...(get ? [{ method: 'GET' as const, path, operation: get }] : []),
  ]);
  const pages = document.tags.map(({ name, description }) => {
    const operations = all.filter(({ operation }) => operation.tags[0] === name);
    const head = `# ${name}\n\n${GENERATED}\n\n${description}\n`;
    return {
      name,
      description,
      operations,
      text: [head, ...operations.map((one) => renderOperation(one, document, examples))].join('\n'),
    };
  });
  const index = renderIndex(pages, document);
  return new Map([
    ['README.md', index],
    ['webhook-messages.md', renderMessages(document)],
    ...pages.map(({ name, text }): [string, string] => [pageOf(name), text]),
  ]);
}

function renderMessages(document: OpenApiDocument): string {
  const sections = Object.entries(document.webhooks).map(([type, { post }]) => {
    const message = post.requestBody?.content['application/json']?.schema ?? {};
    const data = follow<JsonSchema>(document, message).properties?.['data'] ?? {};
    const fields = listFields(data, document);
    const table = fields.length === 0 ? '`data` is `{}`.' : renderFieldTable(fields, 'answer');
    return `## ${type}\n\n${post.summary}.\n\n${table}\n`;
  });
  return `# Webhook messages\n\n${GENERATED} [The contract](../contract.md#webhooks) says when and how they are sent.\n\n${sections.join('\n')}`;
}

const GENERATED =
  'Generated from the OpenAPI document by `npm run docs`. [The API reference](README.md) explains how to read it.';

function pageOf(tag: string): string {
  return `${tag.toLowerCase()}.md`;
}

function renderIndex(
  pages: ReadonlyArray<{ name: string; description: string; operations: readonly Documented[] }>,
  document: OpenApiDocument,
): string {
  const lists = pages.map(({ name, description, operations }) => {
    const rows = operations.map(({ operation }) => {
      const { operationId, summary } = operation;
      const link = `[\`${operationId}\`](${pageOf(name)}#${operationId.toLowerCase()})`;
      const scopes = takesToken(operation) ? scopesOf(operation).join(', ') : 'no token';
      return `| ${link} | ${inCell(summary)} | ${scopes} | ${roleOf(operation) ?? ''} |`;
    });
    return `### ${name}\n\n${description}\n\n| operation | purpose | scope | role |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  const statuses = renderCodes([...COMMON_CODES]);
  const failure = document.components.schemas['Failure'] ?? {};
  return `# API reference

Generated from the OpenAPI document by \`npm run docs\`. A running service serves that document at \`/openapi.json\`, and a page to try each operation at \`/docs\`. [The contract](../contract.md) defines the behaviour behind it: promises, times and limits.

## How to read it

- Each operation is a POST with a JSON body, except [\`events\`](events.md#events) and [\`upload\`](media.md#upload).
- **Access** names the credentials. "Token" is a token of [\`authorize_user\`](users.md#authorize_user). "API key" is a key of [\`create_api_key\`](users.md#create_api_key) with the named scope. "Role" is the least role in the workspace, which the header \`x-workspace\` can name. Both go into the header \`Authorization: Bearer …\`. In the tables below, an empty scope means that the operation takes no API key, and an empty role that no workspace is needed.
- In a request, \`null\` counts as absent for a field that is not required. The service ignores unknown fields and [reports them](../contract.md#request-bodies).
- An instant is ISO 8601, in UTC.
- In an answer, fields can be added. A field marked *optional* is absent where its description says so.
- \`posts[].at\` is the field \`at\` of each item of the list \`posts\`.
- The tables list the fields of \`data\`. The examples show the whole answer. The service gave each of these answers to the request above it. Ids, times, secrets and counts of receipts are placeholders.

## Operations

${lists.join('\n')}
## Webhook messages

[Webhook messages](webhook-messages.md) lists the fields of each message.

## Errors of all operations

Operations without a token answer none of those about credentials. Each section lists the further errors of its operation. [Errors](../errors.md) lists every \`error_code\`.

${statuses}

## A failure

${renderFieldTable(listFields(failure, document), 'body')}
`;
}

function renderOperation(documented: Documented, document: OpenApiDocument, examples: ReadonlyMap<string, Example>) {
  const { method, path, operation } = documented;
  const [description, access] = splitAccess(operation);
  const facts = [
    `**Access**: ${access}`,
    ...(parametersOf(operation, document).some(({ name }) => name === 'Idempotency-Key')
      ? ['**Idempotent** with the header `Idempotency-Key`: [see the contract](../contract.md#idempotency).']
      : []),
  ];
  const sections = [
    `## ${operation.operationId}`,
    `${operation.summary}.`,
    `\`\`\`\n${method} ${path}\n\`\`\``,
    description,
    facts.map((fact) => `- ${fact}`).join('\n'),
    renderRequest(operation, document),
    renderAnswer(operation, document),
    renderErrors(path),
    renderExample(documented, examples.get(operation.operationId)),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function takesToken({ security = [] }: OpenApiOperation): boolean {
  return security.length > 0;
}

function parametersOf({ parameters = [] }: OpenApiOperation, document: OpenApiDocument): OpenApiParameter[] {
  return parameters.map((parameter) => follow<OpenApiParameter>(document, parameter));
}

/** Returns the scopes of API keys that it takes, as Markdown. */
function scopesOf({ security = [] }: OpenApiOperation): string[] {
  return security.flatMap((one) => one.api_key ?? []).map((scope) => `\`${scope}\``);
}

/** Returns the least role in the workspace, as Markdown; undefined: any person may. */
function roleOf({ description = '' }: OpenApiOperation): string | undefined {
  return /^(?:Takes no API key|Scope: ).*Role: (`\w+`)/m.exec(description)?.[1];
}

/** Separates the sentence about step-up authentication from an operation's description. */
function splitAccess(operation: OpenApiOperation): [description: string, access: string] {
  const paragraphs = (operation.description ?? '').split('\n\n').filter((paragraph) => paragraph !== '');
  const isProof = (paragraph: string) => paragraph.startsWith('The token needs');
  const isAccess = (paragraph: string) =>
    isProof(paragraph) || /^(?:Takes no (?:token|API key)|Scope: )/.test(paragraph);
  const scopes = scopesOf(operation);
  const key = scopes.length === 0 ? 'no API key' : `or API key with the scope ${scopes.join(' or ')}`;
  const role = roleOf(operation);
  const least = role === undefined ? '' : ` [Role](../contract.md#workspaces-and-roles): ${role}.`;
  const who = takesToken(operation) ? `token, ${key}.` : 'no token needed.';
  const proof = paragraphs.some(isProof)
    ? ' The token needs a [proof of identity](../contract.md#proof-of-identity) of the last 10 minutes.'
    : '';
  return [paragraphs.filter((paragraph) => !isAccess(paragraph)).join('\n\n'), who + least + proof];
}

function renderRequest(operation: OpenApiOperation, document: OpenApiDocument): string {
  const written = operation.requestBody?.content['application/json']?.schema;
  const schema = written && follow<JsonSchema>(document, written);
  const own = parametersOf(operation, document).filter(
    ({ name }) => !['Idempotency-Key', 'Prefer', 'x-workspace'].includes(name),
  );
  const headers = own.map(
    ({ name, in: where, description = '' }) => `| \`${name}\` | ${where} | ${inCell(description)} |`,
  );
  const parameterTable =
    headers.length === 0 ? '' : `| parameter | in | meaning |\n| --- | --- | --- |\n${headers.join('\n')}`;
  const file = contentTypeOf(operation) === 'application/json' ? '' : 'The body is the file itself.';
  return ['**Request**', parameterTable, schema ? renderBody(schema, document) : file]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderBody(schema: JsonSchema, document: OpenApiDocument): string {
  const forms = schema.anyOf ?? schema.oneOf;
  if (!forms) {
    const fields = listFields(schema, document);
    return fields.length === 0 ? 'The body is `{}` or empty.' : renderFieldTable(fields, 'request');
  }
  return forms
    .map((form, index) => `Form ${index + 1}:\n\n${renderFieldTable(listFields(form, document), 'request')}`)
    .join('\n\n');
}

function renderAnswer(operation: OpenApiOperation, document: OpenApiDocument): string {
  const success = follow<OpenApiResponse>(document, operation.responses['200'] ?? { description: '' });
  const [type = ''] = Object.keys(success.content ?? {});
  const headers = Object.entries(success.headers ?? {}).filter(
    ([name]) => !/^(x-request-id|x-campanile-warnings|x-ratelimit-.*|idempotency-replayed)$/.test(name),
  );
  const describe = (header: object) => follow<{ description?: string }>(document, header).description ?? '';
  const headerTable =
    headers.length === 0
      ? ''
      : `| header of the answer | meaning |\n| --- | --- |\n${headers.map(([name, header]) => `| \`${name}\` | ${inCell(describe(header))} |`).join('\n')}`;
  const data = dataSchemaOf(document, operation);
  const fields = data ? listFields(data, document) : [];
  const table =
    data === undefined
      ? `The body is \`${type}\`.`
      : fields.length > 0
        ? renderFieldTable(fields, 'answer')
        : data.type === 'object' || data.$ref !== undefined
          ? '`data` is `{}`.'
          : `\`data\` is \`${JSON.stringify(data.const ?? data.enum?.[0])}\`.`;
  return ['**Answer**', table, headerTable].filter((part) => part !== '').join('\n\n');
}

const DECLARED = new Map<string, Failing>([eventsOperation, ...listContracts()].map((one) => [one.path, one]));

function renderErrors(path: string): string {
  const declared = DECLARED.get(path);
  const own = declared === undefined ? [] : listOwnErrorCodes(declared).filter((code) => !COMMON_CODES.has(code));
  const rest = '[errors of all operations](README.md#errors-of-all-operations)';
  return own.length === 0 ? `**Errors**: the ${rest}.` : `**Errors**: the ${rest}, and\n\n${renderCodes(own)}`;
}

function renderCodes(codes: readonly ErrorCode[]): string {
  const rows = codes
    .map((code) => ({ code, status: statusOf(code), meaning: ERROR_CODES[code][1] }))
    .toSorted((a, b) => a.status - b.status)
    .map(({ code, status, meaning }) => `| ${status} | \`${code}\` | ${inCell(meaning)} |`);
  return `| status | error_code | meaning |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

function renderExample({ method, path, operation }: Documented, example: Example | undefined): string {
  if (!example) return '';
  const lines = [
    `${method} ${path}`,
    ...(takesToken(operation) ? ['Authorization: Bearer <TOKEN>'] : []),
    `Content-Type: ${contentTypeOf(operation)}`,
    ...Object.entries(example.requestHeaders).map(([name, value]) => `${name}: ${value}`),
    '',
    typeof example.requestBody === 'string' ? example.requestBody : formatJson(example.requestBody),
  ];
  const headers = Object.entries(example.answerHeaders).map(([name, value]) => `${name}: ${value}\n`);
  const body = typeof example.answerBody === 'string' ? example.answerBody : formatJson(example.answerBody);
  const answer = ['HTTP/1.1 200 OK', `${headers.join('')}\n${body.replaceAll('\r\n', '\n').trimEnd()}`];
  return `**Example**\n\n\`\`\`http\n${lines.join('\n')}\n\`\`\`\n\n\`\`\`http\n${answer.join('\n')}\n\`\`\``;
}

function contentTypeOf({ requestBody }: OpenApiOperation): string {
  return Object.keys(requestBody?.content ?? {})[0] ?? 'application/json';
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
