import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AllowedHosts } from '../network/allowed-hosts.ts';
import { isPublicAddress } from './validate-address.ts';
import { BlockedAddressError } from './validate-url.ts';

/** Asks a name server for the addresses of a name, by IPv4 or IPv6. Rejects when there are none. */
export type DnsLookup = (name: string, family: 4 | 6) => Promise<string[]>;

const DNS_TIMEOUT_MS = 4_000;

/**
 * Asks the name servers of the system directly. `getaddrinfo` would block one of libuv's few threads for as long as a name server likes,
 * and password hashing needs these threads.
 */
export function createDnsLookup(servers?: readonly string[]): DnsLookup {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  return (name, family) => (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
}

/**
 * The one address to connect to for the host of a URL. It was validated, and the connection asks no name server again. Every address
 * of a name must be one that may be asked. Throws `BlockedAddressError`, or what the name server said.
 */
export async function resolveHost(hostname: string, { lookup, allowed }: { lookup: DnsLookup; allowed: AllowedHosts }) {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) === 0 ? await lookupBothFamilies(hostname, lookup) : [literal];
  const [first] = addresses;
  if (first === undefined) throw new BlockedAddressError('no_address');
  if (!allowed.hasName(hostname) && !addresses.every((one) => isPublicAddress(one) || allowed.hasAddress(one)))
    throw new BlockedAddressError('private_address');
  return first;
}

/** IPv4 addresses first, because they work from more machines. */
async function lookupBothFamilies(name: string, lookup: DnsLookup): Promise<string[]> {
  const [four, six] = await Promise.allSettled([lookup(name, 4), lookup(name, 6)]);
  const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}
