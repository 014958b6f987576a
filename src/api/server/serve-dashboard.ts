import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendBuildingPage } from './building-page.ts';
import { SHARED_PAGE } from '../routes/report.ts';

/** `building`: it is there soon; `missing`: none will be there before the next start. */
export type DashboardState = 'building' | 'built' | 'missing';

export interface DashboardFiles {
  /** The folder of the build; it need not exist before the state is `built`. */
  folder: string;
  state(): DashboardState;
}

/** Answers with the dashboard's page; with 503 while the dashboard is being built. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

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
  '/join',
  '/users',
  '/campaigns/new',
  '/campaigns/:id',
  '/campaigns/:id/change',
  '/approvals/:id',
  '/calendar',
  '/groups',
  '/groups/:id',
  '/report',
  '/account',
  '/settings',
  '/phone',
  '/installation',
  '/unsent',
  '/templates',
  SHARED_PAGE,
];

/** Stands in the built page wherever the nonce of an answer belongs (`web/index.html`). */
const NONCE_PLACEHOLDER = '%NONCE%';

/**
 * Returns the headers of a page: those of API answers do not fit. Scripts are ours and come from files, without exception. Styles are, too,
 * and those of the given source.
 */
export function pageHeaders(styles: string): Record<string, string> {
  return {
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' ${styles}`,
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

/** Returns a function that answers with the page of the build, read once, each time with a fresh nonce. */
export function createPageSender({ folder, state }: DashboardFiles): SendPage {
  let parts: string[] | undefined;
  return (request, reply) => {
    // The few styles that components write while they run carry the nonce of the answer (docs/explanation/decisions/0019).
    const nonce = randomBytes(16).toString('base64url');
    reply.headers(pageHeaders(`'nonce-${nonce}'`)).type('text/html; charset=utf-8');
    if (state() === 'building') return sendBuildingPage(request, reply);
    parts ??= readFileSync(join(folder, 'index.html'), 'utf8').split(NONCE_PLACEHOLDER);
    return reply.send(parts.join(nonce));
  };
}

/**
 * Serves the pages, and the files of the build under `/assets/`. The name of each file contains a hash of its content. Without a build `/`
 * redirects to the page for trying the API.
 */
export async function registerDashboard(
  server: FastifyInstance,
  { folder, state, sendPage }: DashboardFiles & { sendPage: SendPage },
): Promise<void> {
  await server.register(async (pages) => {
    for (const url of PAGES)
      pages.get(url, (request, reply) => {
        // Strangers may come by it: no search engine is to keep it.
        if (url === SHARED_PAGE) reply.header('x-robots-tag', 'noindex, nofollow');
        if (state() !== 'missing') return sendPage(request, reply);
        return url === '/' ? reply.redirect('/docs', 302) : reply.callNotFound();
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
