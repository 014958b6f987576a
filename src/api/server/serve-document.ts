import { createHash } from 'node:crypto';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';

/** Serves the OpenAPI document with an ETag: it never changes while the server runs, so a client with the same version gets 304. */
export function registerDocument(server: FastifyInstance, { onRequest }: { onRequest: onRequestHookHandler[] }): void {
  let text: string | undefined;
  let etag = '';
  server.get('/openapi.json', { schema: { hide: true }, onRequest }, (request, reply) => {
    if (text === undefined) {
      text = JSON.stringify(server.swagger());
      etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    }
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
    if (known?.includes(etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
  });
}
