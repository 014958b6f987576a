import { LOOPBACK } from '../../platform/network/address-range.ts';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/errors/errors.ts';

/**
 * Has a server that listens on loopback (`host`) answer to names of loopback and of `publicUrl` only: a page elsewhere could otherwise have a
 * name of its own lead here, and the browser would take us for that page's server. One that listens elsewhere answers to any name.
 */
export function checkHostHeader(
  server: FastifyInstance,
  { host, publicUrl }: { host?: string | undefined; publicUrl?: string | undefined },
): void {
  if (host === undefined || !LOOPBACK.test(host)) return;
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  server.addHook('onRequest', (request, _reply, done) => {
    const { host: asked } = request.headers;
    const name = asked === undefined ? undefined : nameOf(asked);
    if (name === undefined || name === own || LOOPBACK.test(name)) return done();
    done(
      new AppError(
        'host_unknown',
        'This service listens on loopback and goes by no such name: set PUBLIC_URL to the address that users see',
      ),
    );
  });
}

/** Without port and final dot. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
