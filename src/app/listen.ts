import { lookup } from 'node:dns/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../platform/config/config.ts';
import { LOOPBACK } from '../platform/network/address-range.ts';
import { StartupError, errorCodeOf } from '../platform/errors/errors.ts';
import type { Log } from '../platform/log/log.ts';

/** Listens for a worker. If another process has the port, the worker runs without health and metrics: sending must not depend on a port. */
export async function listenIfFree(server: FastifyInstance, config: Config, log: Log): Promise<string | undefined> {
  try {
    return await listen(server, config);
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error;
    log.warn(`${error.message}. This worker sends without health and metrics until it is started again`);
    return undefined;
  }
}

export class PortInUseError extends StartupError {}

/** Others reach what does not listen on loopback: without HTTPS, unless the operator says that there is some. */
export function warnOfPlainHttp({ host, publicUrl, role }: Config, log: Log): void {
  if (role === 'worker' || LOOPBACK.test(host) || publicUrl?.startsWith('https:')) return;
  log.warn(
    { host },
    'without HTTPS whoever is on the way reads passwords and tokens: put a proxy with TLS in front, and set PUBLIC_URL to its https address',
  );
}

/** Throws a StartupError with the remedy when the address cannot be used. */
export async function listen(server: FastifyInstance, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  try {
    // Where a name has two addresses Fastify adds a second server, which has none of our handlers and does not close gracefully.
    const { address } = await lookup(host);
    return await server.listen({ host: address, port });
  } catch (error) {
    throw reasonNotToListen(error, { host, port });
  }
}

/** Returns a StartupError with a sentence for the operator for an address that cannot be used, and other errors unchanged. */
function reasonNotToListen(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  switch (errorCodeOf(error)) {
    case 'EADDRINUSE':
      return new PortInUseError(
        `Port ${port} on ${host} is in use: stop what listens there, or set PORT to another one`,
        error,
      );
    case 'EACCES':
      return new StartupError(
        `Port ${port} is for root alone, as all below 1024: set PORT to a higher one and put a proxy in front, or give the program CAP_NET_BIND_SERVICE`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `${host} is no address of this machine: set HOST to one that is, or to 0.0.0.0 for all of them`,
        error,
      );
    default:
      return error;
  }
}
