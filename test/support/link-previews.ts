import type { Config } from '../../src/platform/config/config.ts';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';

/** The configuration of a service that may read pages on loopback. */
export function previewsOfLoopback(): Partial<Config> {
  const allowed = readAllowedHosts(['127.0.0.1']);
  if (!allowed) throw new Error('no such hosts');
  return { linkPreviews: { isEnabled: true, allowed, proxy: {} } };
}
