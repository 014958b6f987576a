import ipaddr from 'ipaddr.js';

/** Names and addresses of the operator's own that may be asked although they are not public. */
export type AllowedHosts = NonNullable<ReturnType<typeof readAllowedHosts>>;

const HOST_NAME = /^(\*\.)?[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/;

/** Reads `WEBHOOK_ALLOWED_HOSTS` or `LINK_PREVIEW_ALLOWED_HOSTS`: names, `*.` before one for all below it, addresses and ranges. Undefined when one is none of these. */
export function readAllowedHosts(list: readonly string[]) {
  const names: string[] = [];
  const ranges: Array<ReturnType<typeof ipaddr.parseCIDR>> = [];
  for (const one of list) {
    if (ipaddr.isValidCIDR(one)) ranges.push(ipaddr.parseCIDR(one));
    else if (ipaddr.IPv4.isValidFourPartDecimal(one)) ranges.push([ipaddr.parse(one), 32]);
    else if (ipaddr.IPv6.isValid(one)) ranges.push([ipaddr.parse(one), 128]);
    else if (HOST_NAME.test(one.toLowerCase()) && !/^[\d.]+$/.test(one)) names.push(one.toLowerCase());
    else return undefined;
  }
  return {
    hasName: (host: string) =>
      names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host.replace(/\.$/, '') === name)),
    hasAddress(address: string) {
      if (!ipaddr.isValid(address)) return false;
      const parsed = ipaddr.parse(address);
      return ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
    },
  };
}
