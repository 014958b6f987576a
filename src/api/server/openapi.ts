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
  400: 'Invalid request: the body is not JSON, or a field is missing, malformed or invalid; `details` names the fields',
  401: 'Authentication failed: the token or API key is missing, malformed, expired or revoked; at sign-in, the user name or password is wrong',
  403: 'Forbidden: the API key lacks the scope, the token needs a recent authentication (`details` names `authorization`), sign-up is closed or by invitation, or the user is disabled or not an administrator',
  404: 'Not found: it does not exist, or belongs to another user',
  408: 'Request timeout: the body was sent too slowly',
  409: 'Conflict: the current state does not allow it, or the value is taken',
  413: 'The body is too large for this operation',
  415: 'The content type is not `application/json`',
  429: 'Too many requests; retry after the number of seconds in `Retry-After`',
  500: 'Internal error; `request_id` identifies it in the log',
  503: 'Temporarily unavailable; retry after the number of seconds in `Retry-After`',
  507: 'The storage quota of the workspace is used up',
};
const OF_EVERY_OPERATION = [400, 408, 413, 415, 500, 503];
const OF_BEARER_OPERATIONS = [401, 403, 429];

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'Needs no authentication.',
  read: 'Needs a token, or an API key with the scope `read`.',
  send: 'Needs a token, or an API key with the scope `send`.',
  admin: 'Needs a token, or an API key with the scope `admin`.',
  token: 'Needs a token. API keys are not accepted.',
};

const RETRY_AFTER = { 'retry-after': 'Number of seconds to wait before a retry.' };
const EXTRA_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': '`Bearer`' },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const IDEMPOTENCY_KEY =
  '1 to 255 characters that identify the request, such as a UUID. Within 24 hours, the same key with the same body returns the first answer again and has no second effect.';

const RATES = {
  'x-ratelimit-limit':
    'The rate limit: requests per minute and user, for previews and checks their own limit, or with 429 the limit that was exceeded.',
  'x-ratelimit-remaining': 'Number of requests left.',
  'x-ratelimit-reset': 'Seconds until the full limit is available again, or with 429 until the next request is.',
};
const TAGS: Readonly<Record<Tag | 'Events', string>> = {
  Users: 'Sign-up, sign-in, profile, second factors, sessions and API keys.',
  Campaigns: 'Campaigns that are sent now or on a schedule, their runs, drafts and files.',
  Groups: 'Groups, communities and channels, and saved lists of them.',
  Account: 'The link to the messaging application, and the rules for sending.',
  Analytics: 'Deliveries, receipts and reactions.',
  Webhooks:
    'Endpoints that receive events as POST requests of `{type, timestamp, data}`, following [Standard Webhooks](https://www.standardwebhooks.com/). Verify the signature of each message and answer 2xx within 15 s. `docs/how-to/receive-webhooks.md`, which comes with the service, has receivers in JavaScript and Python.',
  Notices: 'Notices of events, in the dashboard, in browsers and by e-mail.',
  Sandbox: 'Messages on the sandbox, the messaging application for tests.',
  Administration: 'For administrators: users, invitations and the installation.',
  Events: 'A stream of live events.',
};
const REPLAYED = '`true`: a repeated answer. The request had no second effect.';
const PREFER =
  '`handling=strict` rejects ignored parts of the request, such as unknown fields, with 400. By default they are warnings.';
const WARNINGS =
  'Present if parts of the request were ignored, such as an unknown field: quoted sentences, separated by commas. In brackets they are a JSON array.';

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

/** Returns the Fastify schema of an operation: for validation and for the document. */
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
    response: { 200: { description: 'Success', content: answer }, ...failureResponses(failuresOf(operation)) },
    security: access === 'open' ? [] : [{ bearer: [] }],
  };
}

/** Returns the documented responses of failures. */
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
    sentences.push('The token needs an authentication within the last 10 minutes: see `user/confirm_identity`.');
  return sentences.length > 0 ? { description: sentences.join('\n\n') } : {};
}

/**
 * Returns the options for @fastify/swagger to generate the document. `serverUrl` is the address of the API; `isLimited` says whether
 * all requests of a user are rate limited.
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
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
        description:
          'Messaging campaigns for groups, communities and channels. All operations are POST requests with a JSON body, except the stream of live events.',
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

/** A function, because the document's types do not have the webhooks of OpenAPI 3.1. */
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

/** Adds what Fastify's route schemas cannot express: headers, and optional bodies. */
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
    responses[status] = { ...answer, headers: headers({ 'x-request-id': 'The id of the request.', ...limit, ...own }) };
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

/** Allows additional fields in answers, so that fields can be added later, and overlapping forms of a body. */
function tolerant<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(tolerant) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => key !== 'additionalProperties' || value !== false);
  return Object.fromEntries(kept.map(([key, value]) => [key === 'oneOf' ? 'anyOf' : key, tolerant(value)])) as Part;
}

/** Drops unreferenced schemas: each named schema is generated for requests and for answers. */
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
