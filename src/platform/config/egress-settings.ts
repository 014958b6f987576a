import { readAllowedHosts, type AllowedHosts } from '../network/allowed-hosts.ts';
import type { createReader } from './settings-reader.ts';

/** How addresses are asked that users name. */
export interface EgressSettings {
  /** Takes http:// as well as https://. */
  allowHttp: boolean;
  /** What may be asked although it is not public. */
  allowed: AllowedHosts;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as far as they are set. */
  proxy: Readonly<Record<string, string>>;
}

const NO_HOSTS: AllowedHosts = { hasName: () => false, hasAddress: () => false };

/** Proxies are named in lower case, too, as other programs take them. */
export function readEgress(read: ReturnType<typeof createReader>): EgressSettings {
  const either = (name: string) => read.text(name) ?? read.text(name.toLowerCase());
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => [
    name,
    read.parsed(name, 'an http:// URL', httpUrl, either),
  ]);
  const set = [...proxies, ['NO_PROXY', either('NO_PROXY')]].filter(([, value]) => value !== undefined);
  return {
    allowHttp: read.choice('ALLOW_HTTP_WEBHOOKS', ['true', 'false']) === 'true',
    allowed: read.parsed('WEBHOOK_ALLOWED_HOSTS', 'names, addresses and ranges, with commas', allowedHosts) ?? NO_HOSTS,
    proxy: Object.fromEntries(set),
  };
}

function httpUrl(text: string): string | undefined {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

function allowedHosts(text: string): AllowedHosts | undefined {
  return readAllowedHosts(text.split(',').map((one) => one.trim()));
}
