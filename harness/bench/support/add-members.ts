import { sleep } from '../../../src/platform/time/time.ts';
import type { WhatsAppPeer } from '../../whatsapp-peer/peer.ts';
import type { Person } from '../../whatsapp-peer/world.ts';

/** Adds people who read nothing: to read all this would be the work of a thousand phones, and here it would be this machine's. */
export async function addMembers(
  peer: WhatsAppPeer,
  count: number,
  { prefix, devices }: { prefix: string; devices: readonly number[] },
): Promise<Person[]> {
  const members: Person[] = [];
  while (members.length < count) {
    const member = peer.addPerson(prefix + String(members.length).padStart(5, '0'), devices);
    member.isAway = true;
    members.push(member);
    // It takes some milliseconds, and the peer has to be there meanwhile.
    await sleep(0);
  }
  return members;
}
