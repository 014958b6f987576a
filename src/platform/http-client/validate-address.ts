import ipaddr from 'ipaddr.js';

/** Public by their class, and yet a machine's own: what Azure tells its machines from. */
const METADATA = new Set(['168.63.129.16']);
/** Of IPv6 only this part is given out to be reached from everywhere. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * SSRF protection: whether an address, as a resolver writes it, is public. An IPv6 address that embeds an IPv4 address (`::ffff:127.0.0.1`,
 * NAT64, 6to4, Teredo) never is.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || METADATA.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}
