import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The named ranges of proxies' addresses. */
const NAMED = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Whether `text` is an address, a range of them such as `10.0.0.0/8`, or `loopback`, `linklocal` or `uniquelocal`. */
export function isAddressRange(text: string): boolean {
  if (NAMED.has(text)) return true;
  const [address = '', bits, ...more] = text.split('/');
  const family = isAddress(address) ? isIP(address) : 0;
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Whether `text` is an address and nothing else: no port, and no zone, which may be anything. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/**
 * Returns an address in its one form: an IPv4-mapped IPv6 address, such as `::ffff:192.0.2.1` on a socket for both families, as IPv4, and
 * IPv6 compressed, in lower case. Returns any other string as it is.
 */
export function normalizeAddress(text: string): string {
  return isAddress(text) ? ipaddr.process(text).toString() : text;
}

/** Names and addresses by which a machine reaches itself, with nobody in between. */
export const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
