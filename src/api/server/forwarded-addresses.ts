import type { FastifyInstance } from 'fastify';
import { isAddress, normalizeAddress } from '../../platform/network/address-range.ts';
import type { Log } from '../../platform/log/log.ts';

/** Gives each connection the one form of its peer's address, by which clients are told apart, limited and logged. */
export function normalizeAddresses({ server }: FastifyInstance): void {
  server.prependListener('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    Object.defineProperty(socket, 'remoteAddress', { value: normalizeAddress(remoteAddress) });
  });
}

/**
 * Spoofing: cuts `x-forwarded-for` down to the addresses at its end that are valid, before Fastify reads it. So the client's address is
 * always an address: if a trusted proxy forwards no valid one, the address of that proxy counts. The first time is a warning in the log.
 */
export function cleanForwardedAddresses(
  server: FastifyInstance,
  { trustedProxies = [], log }: { trustedProxies?: readonly string[] | undefined; log: Log },
): void {
  if (trustedProxies.length === 0) return;
  let isReported = false;
  server.server.prependListener('request', ({ headers, socket }) => {
    const given = headers['x-forwarded-for'];
    if (given === undefined) return;
    const addresses = readForwardedAddresses(String(given));
    headers['x-forwarded-for'] = addresses.join(', ');
    if (addresses.length > 0 || isReported) return;
    isReported = true;
    log.warn(
      { proxy: socket.remoteAddress },
      'x-forwarded-for ends in no IP address: all clients of this proxy share its address, and its limits',
    );
  });
}

/** Returns the addresses from the last that is invalid on. Some proxies add the port of the client: `192.0.2.1:51234`, `[2001:db8::1]:443`. */
export function readForwardedAddresses(header: string): string[] {
  const addresses = header.split(',').map((entry) => readAddress(entry.trim()));
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).filter((address) => address !== undefined);
}

function readAddress(entry: string): string | undefined {
  const { v4, v6 } = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]+)\](?::\d{1,5})?)$/.exec(entry)?.groups ?? {};
  const address = v4 ?? v6 ?? entry;
  return isAddress(address) ? normalizeAddress(address) : undefined;
}
