import { expect } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { WhatsAppPeer } from '../whatsapp-peer/peer.ts';
import type { Companion, Person as PeerPerson } from '../whatsapp-peer/world.ts';
import type { Person } from './app.ts';
import { until } from './ledger.ts';

/** The number that `signUp` of `support/app.ts` gives everybody, as digits. */
export const OWN_NUMBER = '491511234567';

export interface Status {
  messenger: string;
  status: string;
  qr?: string;
  pairing_code?: string;
  expires_at?: string;
  paused_until?: string;
  reason?: string;
}

/** What makes a service talk to this peer, without gaps. */
export function towards(peer: WhatsAppPeer): Partial<Config> {
  return {
    messenger: 'whatsapp',
    whatsappUrl: peer.url,
    whatsappRootKey: Buffer.from(peer.rootKey, 'hex'),
    whatsappGap: { minMs: 0, maxMs: 0 },
    encryptionKey: Buffer.alloc(32, 7),
    jwtSecret: 'the secret of the tests, long enough',
  };
}

export const statusOf = async (person: Person): Promise<Status> =>
  (await person.call<Status>('venom/account-status')).body.data;

export const statusWhen = (person: Person, status: string): Promise<Status> =>
  until(
    () => statusOf(person),
    (found) => found.status === status,
  );

/** Links the person's account by a QR code that their phone scans, and waits until it is connected. */
export async function linkByQr(peer: WhatsAppPeer, person: Person, phone: PeerPerson): Promise<Companion> {
  const { body } = await person.call<Status>('venom/connect-account');
  expect(body.data).toMatchObject({ status: 'linking', qr: expect.any(String) });
  const companion = await peer.scan(phone, body.data.qr ?? '');
  await statusWhen(person, 'connected');
  return companion;
}
