import type { FastifySchema } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { z } from 'zod';
import { failure, success } from '../contract/envelope.ts';
import { readVersion } from '../../platform/config/version.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import { idempotencyOf, type Access, type OperationContract, type Tag } from '../contract/define-operations.ts';
import { WARNINGS_HEADER } from './validate-body.ts';

const FAILURES: Readonly<Record<number, string>> = {
  400: 'The body is not JSON, or a field is missing, malformed or makes no sense; `details` says which',
  401: 'No token or API key, or one that is malformed, expired or revoked; of sign-in: wrong user name or password',
  403: 'An API key whose scope does not reach, a token whose proof is too old (`details` names `authorization`), sign-up that is closed or by invitation, a user who is disabled, or who is no administrator',
  404: 'Does not exist, or is another user’s',
  408: 'The body came too slowly',
  409: 'The present state forbids it, or it is taken',
  413: 'The body is larger than this operation takes',
  415: 'The content type is not application/json',
  429: 'Too often; `retry-after` says for how many seconds',
  500: 'A defect on our side; `request_id` leads to what was logged',
  503: 'Not just now; `retry-after` says for how many seconds',
  507: 'Your workspace has as many bytes stored as it may have',
};
const OF_EVERY_OPERATION = [400, 408, 413, 415, 500, 503];
const OF_BEARER_OPERATIONS = [401, 403, 429];

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'Needs no token.',
  read: 'An API key needs the scope `read`.',
  send: 'An API key needs the scope `send`.',
  admin: 'An API key needs the scope `admin`.',
  token: 'Takes no API key, only a token.',
};

const EXTRA_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': '`Bearer`' },
  429: { 'retry-after': 'Seconds to wait.' },
  503: { 'retry-after': 'Seconds to wait.' },
};

const IDEMPOTENCY_KEY =
  '1 to 255 characters of your choice. The same key with the same body within 24 hours gets the first answer again, and nothing is done twice.';

const RATES = {
  'x-ratelimit-limit':
    'How many are taken: requests a minute and user, of previews and checks those that both are counted by, or what else was limited.',
  'x-ratelimit-remaining': 'How many of them are left.',
  'x-ratelimit-reset': 'Seconds until all of them are again, or with 429 until there is one.',
};
const TAGS: Readonly<Record<Tag | 'Events', string>> = {
  Users: 'Sign-up, sign-in, profile, API keys and what else is about the person.',
  Campaigns: 'What is sent: now, by a schedule, and what becomes of it.',
  Groups: 'Groups, communities and channels, and saved lists of them.',
  Account: 'The link to the messaging application, and its rules.',
  Analytics: 'What came of it.',
  Webhooks:
    'Addresses that are told what happens, by POSTs of `{type, timestamp, data}` as [Standard Webhooks](https://www.standardwebhooks.com/) has them. Each is verified by its signature and answered 2xx within 15 s. `docs/how-to/receive-webhooks.md`, which comes with the service, has a receiver in JavaScript and one in Python.',
  Notices: 'What people are told of what happened: in the dashboard, in browsers and by e-mail.',
  Sandbox: 'What members see on the messaging application that needs no account.',
  Administration: 'For administrators: who there is.',
  Events: 'What happens, while it happens.',
};
const REPLAYED = '`true`: this is the first answer again, and nothing was done.';
const PREFER = '`handling=strict`: what means nothing here is a 400, instead of a warning.';
const WARNINGS =
  'There where the request carries what means nothing here, such as an unknown field: sentences in quotes between commas, so that brackets around them make JSON.';

const BEARER_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A token of `authorize_user`, or an API key of `create_api_key`.',
} as const;

/** Every status that an operation can fail with. */
function failuresOf(operation: OperationContract): number[] {
  const ofKind = operation.access === 'open' ? [] : OF_BEARER_OPERATIONS;
  return [...new Set([...OF_EVERY_OPERATION, ...ofKind, ...(operation.errors ?? [])])].toSorted((a, b) => a - b);
}

/** What Fastify validates bodies by and the document is made of. */
export function routeSchema(operation: OperationContract): FastifySchema {
  const { access, answerType, body, data, path, summary, tag } = operation;
  const answer = answerType
    ? { [answerType]: { schema: answerType === '*/*' ? z.string().meta({ format: 'binary' }) : z.string() } }
    : { 'application/json': { schema: success(data) } };
  return {
    operationId: path.slice(path.lastIndexOf('/') + 1),
    tags: [tag],
    summary,
    ...describe(operation),
    body,
    response: { 200: { description: 'Done', content: answer }, ...failureResponses(failuresOf(operation)) },
    security: access === 'open' ? [] : [{ bearer: [] }],
  };
}

/** What a path says it fails with. */
export function failureResponses(statuses: readonly number[]): Record<number, unknown> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: FAILURES[status], content: { 'application/json': { schema: failure } } },
    ]),
  );
}

function describe(operation: OperationContract): { description?: string } {
  const { description } = operation;
  const sentences = description === undefined ? [] : [description];
  sentences.push(ACCESS[operation.access]);
  if (operation.requiresRecentAuth)
    sentences.push(
      'Takes a token whose bearer has proven who they are within 10 minutes: see `user/confirm_identity`.',
    );
  return sentences.length > 0 ? { description: sentences.join('\n\n') } : {};
}

/**
 * How @fastify/swagger makes the document. `serverUrl` is where the operations are to be found, `isLimited` whether all requests of a
 * user are.
 */
export function documentOptions(
  operations: readonly OperationContract[],
  { serverUrl, isLimited }: { serverUrl: string; isLimited: boolean },
): FastifyDynamicSwaggerOptions {
  const { version, commit } = readVersion();
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campanile',
        version,
        ...(commit !== undefined && { 'x-commit': commit }),
        contact: { name: 'Whoever runs this service' },
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
        description:
          'Messaging campaigns for groups, communities and channels. Every operation is a POST with a JSON body, but for the stream of live progress.',
      },
      servers: [{ url: serverUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { bearer: BEARER_SCHEME } },
    },
    transform: createJsonSchemaTransform({}),
    transformObject: (document) =>
      withWebhooks(tolerant(withoutUnused(withHeaders(jsonSchemaTransformObject(document), operations, isLimited)))),
  };
}

/** A function, since the types of the document know fewer versions of OpenAPI. */
function withWebhooks<Document extends object>(document: Document): Document {
  return { ...document, webhooks: describeWebhooks() };
}

interface Answer {
  headers?: Record<string, unknown>;
}
interface DocumentedOperation {
  requestBody?: { required?: boolean };
  responses?: Record<string, Answer>;
  parameters?: unknown[];
}

/** Adds what the schemas of routes have no place for: headers, and that a body may be left out. */
function withHeaders<Document extends { paths?: unknown }>(
  document: Document,
  operations: readonly OperationContract[],
  isLimited: boolean,
) {
  const paths = { ...(document.paths as Record<string, { post?: DocumentedOperation }>) };
  for (const operation of operations) {
    const documented = paths[operation.path]?.post;
    if (!documented) continue;
    paths[operation.path] = { post: { ...documented, ...additions(operation, documented, isLimited) } };
  }
  return { ...document, paths };
}

function additions(
  operation: OperationContract,
  documented: DocumentedOperation,
  isLimited: boolean,
): DocumentedOperation {
  const rates = (isLimited && operation.access !== 'open') || operation.isPreview ? RATES : {};
  const responses: Record<string, Answer> = {};
  for (const [status, answer] of Object.entries(documented.responses ?? {})) {
    const limit = status === '429' ? RATES : status === '200' ? rates : {};
    const own = status === '200' ? answerHeadersOf(operation) : EXTRA_HEADERS[Number(status)];
    responses[status] = { ...answer, headers: headers({ 'x-request-id': 'Of this request.', ...limit, ...own }) };
  }
  const parameters = Object.entries(requestHeadersOf(operation)).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  const required = !operation.body.safeParse({}).success;
  return {
    responses,
    requestBody: { ...documented.requestBody, required },
    ...(parameters.length > 0 ? { parameters } : {}),
  };
}

function requestHeadersOf(operation: OperationContract): Readonly<Record<string, string>> {
  const all = { ...operation.requestHeaders, Prefer: PREFER };
  return idempotencyOf(operation) === 'keyed' ? { ...all, 'Idempotency-Key': IDEMPOTENCY_KEY } : all;
}

function answerHeadersOf(operation: OperationContract): Readonly<Record<string, string>> {
  const all = { ...operation.answerHeaders, [WARNINGS_HEADER]: WARNINGS };
  return idempotencyOf(operation) === 'keyed' ? { ...all, 'idempotency-replayed': REPLAYED } : all;
}

/** As clients are to read it: an answer may have more fields than those known today, and forms of a body may overlap. */
function tolerant<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(tolerant) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => key !== 'additionalProperties' || value !== false);
  return Object.fromEntries(kept.map(([key, value]) => [key === 'oneOf' ? 'anyOf' : key, tolerant(value)])) as Part;
}

/** Each named schema is made for requests and for answers; this drops the half that nothing refers to. */
function withoutUnused<Document extends { paths?: unknown; components?: { schemas?: object } }>(document: Document) {
  const all = new Map(Object.entries(document.components?.schemas ?? {}));
  const used = new Set<string>();
  const open: unknown[] = [document.paths];
  for (let value = open.pop(); value !== undefined; value = open.pop())
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      open.push(all.get(name));
    }
  const schemas = Object.fromEntries([...all].filter(([name]) => used.has(name)));
  return { ...document, components: { ...document.components, schemas } };
}

function headers(descriptions: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}
