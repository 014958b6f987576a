import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Where the dashboard's pages are; all are the same file, which finds its way by the address. */
const PAGES = [
  '/',
  '/sign-in',
  '/sign-up',
  '/campaigns/new',
  '/campaigns/:id',
  '/campaigns/:id/change',
  '/calendar',
  '/groups',
  '/account',
  '/settings',
  '/phone',
];

/** Stands in the built page wherever the nonce of an answer belongs (`web/index.html`). */
const NONCE_MARK = '%NONCE%';

/**
 * Scripts are ours and come from files, without exception. Styles are, too; the few that components write while they run carry
 * the nonce of the answer (docs/explanation/decisions/0020).
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Serves what was built into `folder`: the pages, and under `/assets/` files whose names change with what is in them. */
export async function registerDashboard(
  server: FastifyInstance,
  { folder, isHttps }: { folder: string; isHttps: boolean },
): Promise<void> {
  const parts = (await readFile(join(folder, 'index.html'), 'utf8')).split(NONCE_MARK);
  await server.register(async (pages) => {
    for (const url of PAGES)
      pages.get(url, { schema: { hide: true } }, (_request, reply) => {
        const nonce = randomBytes(16).toString('base64url');
        return reply
          .headers({
            'content-security-policy': policyWith(nonce),
            'referrer-policy': 'no-referrer',
            'x-frame-options': 'DENY',
            'cross-origin-opener-policy': 'same-origin',
            'cross-origin-resource-policy': 'same-origin',
            'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
            ...(isHttps && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
          })
          .type('text/html; charset=utf-8')
          .send(parts.join(nonce));
      });
    await pages.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      preCompressed: true,
      immutable: true,
      maxAge: '1y',
      index: false,
      decorateReply: false,
      schemaHide: true,
    });
  });
}
