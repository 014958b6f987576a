import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The paths of the dashboard's pages. All are the same file, which routes by the path. */
const PAGES = [
  '/',
  '/sign-in',
  '/sign-up',
  '/goodbye',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/accept-invite',
  '/users',
  '/campaigns/new',
  '/campaigns/:id',
  '/campaigns/:id/change',
  '/calendar',
  '/groups',
  '/groups/:id',
  '/account',
  '/settings',
  '/phone',
  '/installation',
];

/** Stands in the built page wherever the nonce of an answer belongs (`web/index.html`). */
const NONCE_PLACEHOLDER = '%NONCE%';

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

/** Reads the page that was built into `folder`. Returns a function that answers with the page, each time with a fresh nonce. */
export async function readPage({ folder }: { folder: string }) {
  const parts = (await readFile(join(folder, 'index.html'), 'utf8')).split(NONCE_PLACEHOLDER);
  return (reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .headers({
        'content-security-policy': policyWith(nonce),
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      })
      .type('text/html; charset=utf-8')
      .send(parts.join(nonce));
  };
}

/** Serves the pages, and the files of `folder` under `/assets/`. The name of each file contains a hash of its content. */
export async function registerDashboard(
  server: FastifyInstance,
  { folder, sendPage }: { folder: string; sendPage: (reply: FastifyReply) => FastifyReply },
): Promise<void> {
  await server.register(async (pages) => {
    for (const url of PAGES) pages.get(url, { schema: { hide: true } }, (_request, reply) => sendPage(reply));
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
