import { z } from 'zod';
import { follow, type OpenApiDocument, type OpenApiOperation, type OpenApiResponse } from './document.ts';

/** An operation's example: the request that a scene sent, and the answer of the server. */
export interface Example {
  requestHeaders: Readonly<Record<string, string>>;
  /** Parsed JSON; for a file, its size in bytes. */
  requestBody: unknown;
  /** The documented headers of the answer, without those of every answer. */
  answerHeaders: Readonly<Record<string, string>>;
  /** As `requestBody`, or the text. */
  answerBody: unknown;
}

export interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
}

export interface Recorder {
  /**
   * Sends an operation by its name and returns `data`. Its first request and answer become its example. Throws unless the answer is
   * a 200 of the documented shape.
   */
  send(operation: string, body: unknown, options?: CallOptions): Promise<Record<string, unknown>>;
  /** Sends an operation without recording it. */
  poll(operation: string, body: unknown, options?: CallOptions): Promise<Record<string, unknown>>;
  examples: ReadonlyMap<string, Example>;
}

/** Headers left out of examples, because every answer has them. */
const OF_EVERY_ANSWER = new Set(['x-request-id', 'x-campanile-warnings', 'x-ratelimit-reset', 'ratelimit']);

/** Sends operations to the service at `url` and records an example of each. */
export function createRecorder(url: string, document: OpenApiDocument): Recorder {
  const examples = new Map<string, Example>();
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, { post }]) =>
      post ? [[post.operationId, { path, documented: post }] as const] : [],
    ),
  );
  async function call(name: string, requestBody: unknown, { token, headers = {} }: CallOptions): Promise<Example> {
    const operation = operations.get(name);
    if (!operation) throw new Error(`the document has no operation ${name}`);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const isFile = Buffer.isBuffer(requestBody);
    const response = await fetch(url + operation.path, {
      method: 'POST',
      headers: {
        'content-type': isFile ? 'application/octet-stream' : 'application/json',
        ...authorization,
        ...headers,
      },
      body: isFile ? new Uint8Array(requestBody) : JSON.stringify(requestBody),
    });
    const answerBody = await readBody(response);
    if (response.status !== 200) throw new Error(`${name} answers ${response.status}: ${JSON.stringify(answerBody)}`);
    assertShape(name, operation.documented, document, answerBody);
    const answerHeaders = documentedHeaders(successOf(operation.documented, document), response.headers);
    const shown = isFile ? `(${requestBody.length} bytes)` : requestBody;
    return { requestHeaders: headers, requestBody: shown, answerHeaders, answerBody };
  }
  return {
    examples,
    async send(name, body, options = {}) {
      const example = await call(name, body, options);
      if (!examples.has(name)) examples.set(name, example);
      return dataOf(example);
    },
    poll: async (name, body, options = {}) => dataOf(await call(name, body, options)),
  };
}

function dataOf({ answerBody }: Example): Record<string, unknown> {
  return (answerBody as { data?: Record<string, unknown> }).data ?? {};
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  if (type.startsWith('text/')) return response.text();
  // Its size depends on the times in it.
  if (type === 'application/zip') return '(a ZIP archive)';
  return `(${(await response.bytes()).length} bytes)`;
}

function successOf({ responses }: OpenApiOperation, document: OpenApiDocument): OpenApiResponse {
  return follow<OpenApiResponse>(document, responses['200'] ?? { description: '' });
}

function documentedHeaders(success: OpenApiResponse, headers: Headers): Record<string, string> {
  const names = Object.keys(success.headers ?? {}).filter((name) => !OF_EVERY_ANSWER.has(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Throws unless the body matches the document. */
function assertShape(name: string, operation: OpenApiOperation, document: OpenApiDocument, body: unknown): void {
  const schema = successOf(operation, document).content?.['application/json']?.schema;
  if (!schema) return;
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const standalone = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as Parameters<
    typeof z.fromJSONSchema
  >[0];
  const checked = z.fromJSONSchema(standalone).safeParse(body);
  if (!checked.success) throw new Error(`${name} does not answer as documented: ${z.prettifyError(checked.error)}`);
}
