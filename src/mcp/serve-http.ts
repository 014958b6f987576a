import { createMcpHandler } from '@modelcontextprotocol/server';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { keepChecked } from './checked-campaigns.ts';
import { createMcpServer } from './create-server.ts';

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
const BEARER = /^bearer +(\S+) *$/i;

/**
 * Streamable HTTP at `/mcp`, for many users: each request acts by the API key that it carries, and none is kept. Not yet listening.
 */
export function buildMcpHttp(url: string): FastifyInstance {
  const checked = keepChecked(() => performance.now());
  const handler = createMcpHandler(({ authInfo }) => {
    if (!authInfo) throw new Error('a request without a key was let through');
    return createMcpServer({ url, token: authInfo.token, checked });
  });
  const server = fastify({ logger: false, bodyLimit: BODY_LIMIT_BYTES });
  server.addHook('onClose', () => handler.close());
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    async handler(request, reply) {
      const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined)
        return reply
          .code(401)
          .header('www-authenticate', 'Bearer')
          .send({ error_code: 'token_missing', message: 'Send an API key: Authorization: Bearer cmp_…' });
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
