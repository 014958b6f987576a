import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { pageHeaders } from './serve-dashboard.ts';

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
