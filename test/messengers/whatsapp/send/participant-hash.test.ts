import { expect, test } from 'vitest';
import { participantHash } from '../../../../src/messengers/whatsapp/send/participant-hash.ts';

/** Of other implementations. WhatsApp writes no device 0, the phone, and hashes it. */
const VECTORS: ReadonlyArray<[devices: string[], hash: string]> = [
  [['5511999999999:3@s.whatsapp.net'], '2:5s+YxCff'],
  [['5511999999999@s.whatsapp.net'], '2:RJWVxcMQ'],
  [['5511988887777:14@s.whatsapp.net', '7469250125917:21@s.whatsapp.net'], '2:AAv/hwhn'],
  [['88001:12@lid', '77001@lid', '77001:5@lid', '77002@lid', '88001@lid'], '2:Fcq/EzJc'],
];

test.each(VECTORS)('hashes %j', (devices, hash) => {
  expect(participantHash(devices)).toBe(hash);
  expect(participantHash(devices.toReversed())).toBe(hash);
});
