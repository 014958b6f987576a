import { createMcpHandler } from '@modelcontextprotocol/server';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { assertOrigin, createAuthenticate, McpAccessError } from './authenticate.ts';
import { createCheckStore } from './checked-campaigns.ts';
import { createMcpServer } from './create-server.ts';

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
const METHODS = ['GET', 'POST', 'DELETE'];

export interface McpHttpOptions {
  /** Where the service is; pages of its origin are allowed. */
  url: string;
  /** Origins of other pages that may use it. */
  allowedOrigins: readonly string[];
}

/**
 * Streamable HTTP at `/mcp` for many users. Each request acts by the API key in its header; every request needs a valid key, and no key is
 * stored. Returns a server that is not yet listening.
 */
export function buildMcpHttp({ url, allowedOrigins }: McpHttpOptions): FastifyInstance {
  const checked = createCheckStore(() => performance.now());
  const handler = createMcpHandler(({ authInfo }) => {
    if (!authInfo) throw new Error('a request without a key was let through');
    return createMcpServer({ url, token: authInfo.token, checked });
  });
  const origins = new Set([url, ...allowedOrigins].map((one) => new URL(one).origin));
  const authenticate = createAuthenticate(url);
  const keys = new WeakMap<FastifyRequest, string>();
  const server = fastify({ logger: false, bodyLimit: BODY_LIMIT_BYTES });
  server.addHook('onClose', () => handler.close());
  server.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof McpAccessError)) throw error;
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(error.status).send({ error_code: error.errorCode, message: error.message });
  });
  server.all('/mcp', {
    // Before the body is read.
    async onRequest(request) {
      assertOrigin(request.headers.origin, origins);
      keys.set(request, await authenticate(request.headers.authorization));
    },
    async handler(request, reply) {
      const token = keys.get(request);
      if (token === undefined) throw new Error('a request without a key was let through');
      if (!METHODS.includes(request.method))
        return reply
          .code(405)
          .header('allow', METHODS.join(', '))
          .send({ error_code: 'method_not_allowed', message: `Use one of ${METHODS.join(', ')}` });
      const authInfo = { token, clientId: 'api-key', scopes: [] };
      const response = await handler.fetch(toWebRequest(request), { authInfo, parsedBody: request.body ?? undefined });
      return reply.send(response);
    },
  });
  return server;
}

/** Without its body, which was read already. */
function toWebRequest({ method, url, host, headers }: FastifyRequest): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(', ') : value);
  return new Request(`http://${host}${url}`, { method, headers: given });
}
