import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { readVersion } from '../../platform/config/version.ts';
import { JSON_TYPE } from './answer.ts';
import swaggerUi from '@fastify/swagger-ui';
import { pageHeaders } from './serve-dashboard.ts';
import { namesTag } from './serve-feed.ts';

/** The OpenAPI document that `npm run openapi` writes. */
export const DOCUMENT_FILE = new URL('../contract/openapi.json', import.meta.url);

/** Returns the document for a service of this version at an address. */
export function describeService({ info, ...document }: { info: object }, url: string): object {
  const { version, commit } = readVersion();
  const described = { ...info, version, ...(commit !== undefined && { 'x-commit': commit }) };
  return { ...document, info: described, servers: [{ url }] };
}

/** Serves the OpenAPI document with an ETag: it never changes while the server runs, so a client with the same version gets 304. */
export async function registerDocument(
  server: FastifyInstance,
  { publicUrl = '/', onRequest }: { publicUrl: string | undefined; onRequest: onRequestHookHandler[] },
): Promise<void> {
  let document: object | undefined;
  let text: string | undefined;
  let etag = '';
  function read(): object {
    document ??= describeService(JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as { info: object }, publicUrl);
    return document;
  }
  // For the page to try the API, which serializes it. The file is read when somebody asks for it.
  const lazy = { toJSON: read } as unknown as StaticDocumentSpec['document'];
  await server.register(swagger, { mode: 'static', specification: { document: lazy } });
  server.get('/openapi.json', { onRequest }, (request, reply) => {
    if (text === undefined) {
      text = JSON.stringify(read());
      etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    }
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type(JSON_TYPE).send(text);
  });
}

/** The page sets style attributes, so inline styles it has to be. */
const HEADERS = pageHeaders("'unsafe-inline'");

/** The bar on top is for pages that show several documents. */
const PAGE_STYLE = '.swagger-ui .topbar { display: none }';

/** Registers the page at `/docs` for trying the operations. */
export async function registerDocs(
  server: FastifyInstance,
  { onRequest }: { onRequest: onRequestHookHandler[] },
): Promise<void> {
  await server.register(async (pages) => {
    for (const hook of onRequest) pages.addHook('onRequest', hook);
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.headers(HEADERS);
      done();
    });
    await pages.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { persistAuthorization: false, deepLinking: true, tryItOutEnabled: true, docExpansion: 'list' },
      theme: { title: 'Campanile API', css: [{ filename: 'campanile.css', content: PAGE_STYLE }] },
    });
  });
}
