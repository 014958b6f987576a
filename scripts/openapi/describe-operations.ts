import { eventsOperation } from '../../src/api/contract/events.ts';
import { idempotencyOf, type OperationContract } from '../../src/api/contract/define-operations.ts';
import { describeFailures } from './describe-failures.ts';
import type { DocumentedOperation, DocumentedResponse, MediaType, OpenApiDocument } from './document-types.ts';
import { findExample } from './operation-examples.ts';
import { createShared, HEADERS, IDEMPOTENCY_KEY, WORKSPACE, type Shared } from './shared-components.ts';
import { RATE_HEADERS } from '../../src/api/server/rate-limits.ts';

/** Adds headers, failures, examples and optional bodies to the generated operations. */
export function describeOperations(
  document: OpenApiDocument,
  operations: readonly OperationContract[],
): OpenApiDocument {
  const shared = createShared();
  const paths = { ...document.paths };
  for (const operation of operations) {
    const post = paths[operation.path]?.post;
    if (post) paths[operation.path] = { post: describeOperation(operation, post, shared) };
  }
  const get = paths[eventsOperation.path]?.get;
  if (get)
    paths[eventsOperation.path] = {
      get: { ...get, responses: { ...get.responses, ...describeFailures(eventsOperation, shared) } },
    };
  return { ...document, paths, components: { ...document.components, ...shared.components } };
}

function describeOperation(
  operation: OperationContract,
  documented: DocumentedOperation,
  shared: Shared,
): DocumentedOperation {
  const success = documented.responses['200'] ?? {};
  const headers = describeHeaders(operation, shared);
  const parameters = describeParameters(operation, shared);
  const { requestBody } = documented;
  return {
    ...documented,
    ...(requestBody && {
      requestBody: {
        // The default is false.
        ...(!operation.body.safeParse({}).success && { required: true }),
        content: withExample(requestBody.content, findExample(documented.operationId)),
      },
    }),
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: shareConfirmation(
        {
          ...success,
          ...(Object.keys(headers).length > 0 && { headers }),
        },
        shared,
      ),
      ...describeFailures(operation, shared),
    },
  };
}

/** Operations that only confirm have the same answer. */
function shareConfirmation(response: DocumentedResponse, shared: Shared): DocumentedResponse {
  const isNoData = JSON.stringify(response.content).includes('"#/components/schemas/NoData"');
  return isNoData ? shared.refer('responses', 'Confirmed', response) : response;
}

/** Adds the example of a request that has several fields; one field alone is plain from its schema. The API reference has all, with answers. */
function withExample(content: Record<string, MediaType>, example: unknown): Record<string, MediaType> {
  if (typeof example !== 'object' || example === null || Object.keys(example).length < 2) return content;
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example }]));
}

function describeHeaders(operation: OperationContract, shared: Shared): Record<string, unknown> {
  const known = [
    ...(operation.isPreview ? RATE_HEADERS : []),
    ...(idempotencyOf(operation) === 'keyed' ? (['idempotency-replayed'] as const) : []),
  ] as const;
  const own = Object.entries(operation.answerHeaders ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries([
    ...known.map((name) => [name, shared.refer('headers', name, HEADERS[name])]),
    ...own,
  ]) as Record<string, unknown>;
}

function describeParameters(operation: OperationContract, shared: Shared): unknown[] {
  const { name: keyName, description: ofKey } = IDEMPOTENCY_KEY;
  const isInWorkspace = operation.access !== 'open' && operation.role !== 'none';
  const all = {
    ...operation.requestHeaders,
    ...(idempotencyOf(operation) === 'keyed' && { [keyName]: ofKey }),
    ...(isInWorkspace && { [WORKSPACE.name]: WORKSPACE.description }),
  };
  return Object.entries(all).map(([name, description]) =>
    shared.refer('parameters', name, {
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    }),
  );
}
