import helmet from '@fastify/helmet';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';

/** Scripts and styles of our own only; the page sets style attributes, so inline styles it has to be. */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The bar on top is for pages that show several documents. */
const PAGE_STYLE = '.swagger-ui .topbar { display: none }';

/**
 * Registers the page at `/docs` for trying the operations. In a separate scope, because helmet computes its headers in each request, and
 * API answers have fixed headers.
 */
export async function registerDocs(
  server: FastifyInstance,
  { onRequest }: { onRequest: onRequestHookHandler[] },
): Promise<void> {
  await server.register(async (pages) => {
    for (const hook of onRequest) pages.addHook('onRequest', hook);
    pages.addHook('onRequest', (_request, reply, done) => {
      // Those of API answers would win over helmet's.
      reply.removeHeader('content-security-policy');
      done();
    });
    await pages.register(helmet, {
      contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
      // Every answer has it.
      strictTransportSecurity: false,
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    });
    await pages.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { persistAuthorization: false, deepLinking: true, tryItOutEnabled: true, docExpansion: 'list' },
      theme: { title: 'Campanile API', css: [{ filename: 'campanile.css', content: PAGE_STYLE }] },
    });
  });
}
