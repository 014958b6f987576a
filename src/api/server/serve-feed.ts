import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';
import { FEED_PATH } from '../contract/calendar-links.ts';

/** Reads the feed of a token. Throws 404 and 429. */
export type ReadFeed = (link: {
  token: string;
  address: string;
}) => Promise<{ etag: string; write: () => Promise<string> }>;

const FILE = /^([\w-]{1,100})\.ics$/;

/** Registers the iCalendar feeds of links, which calendar programs read by GET and without any header of ours. */
export function registerFeeds(server: FastifyInstance, readFeed: ReadFeed): void {
  server.get(FEED_PATH, async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' });
    const token = FILE.exec((request.params as { file: string }).file)?.[1];
    if (token === undefined) throw new AppError('calendar_link_not_found', 'This link was revoked, or never existed');
    const { etag, write } = await readFeed({ token, address: request.ip });
    reply.header('etag', etag);
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('text/calendar; charset=utf-8').send(await write());
  });
}

/** Whether a client says that it has the version of this tag (RFC 9110 §13.1.2). */
export function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;
}
