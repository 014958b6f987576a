import { createHash } from 'node:crypto';
import { parseJid, type Jid } from '../client/jid.ts';

/**
 * Returns the `phash` of a message to a group: a hash of all devices that it is encrypted for, the sending one included. WhatsApp
 * compares it with the devices that it knows. The library's own function takes other input, and never matches.
 */
export function participantHash(devices: Iterable<Jid>): string {
  const names = Array.from(devices, (jid) => {
    const { user = '', device = 0, server = '' } = parseJid(jid) ?? {};
    return `${user}.0:${device}@${server}`;
  });
  const digest = createHash('sha256').update(names.toSorted().join('')).digest();
  return `2:${digest.subarray(0, 6).toString('base64')}`;
}
