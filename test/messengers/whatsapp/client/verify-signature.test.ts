import { randomBytes } from 'node:crypto';
import { Curve } from 'baileys';
import { expect, test } from 'vitest';
import { verifySignature } from '../../../../src/messengers/whatsapp/client/verify-signature.ts';
import { createKey, signWith, typed } from '../../../../harness/whatsapp-peer/independent-keys.ts';

test('accepts the signatures of both kinds of signers, and no other', () => {
  for (let times = 0; times < 64; times++) {
    const message = randomBytes(times);
    const key = createKey();
    const pair = Curve.generateKeyPair();
    const signed: Array<[key: Uint8Array, signature: Uint8Array]> = [
      [key.raw, signWith(key, message)],
      [typed(key.raw), signWith(key, message)],
      [pair.public, Curve.sign(pair.private, message)],
    ];
    for (const [owner, signature] of signed) {
      expect(verifySignature(owner, message, signature)).toBe(true);
      const changed = Buffer.from(signature);
      const at = (times * 7) % 63;
      changed[at] = (changed[at] ?? 0) ^ (1 << (times % 8));
      expect(verifySignature(owner, message, changed)).toBe(false);
      expect(verifySignature(owner, Buffer.concat([message, Buffer.from('x')]), signature)).toBe(false);
      expect(verifySignature(createKey().raw, message, signature)).toBe(false);
    }
  }
});

test('rejects what is no key or no signature', () => {
  const key = createKey();
  const signature = signWith(key, Buffer.from('x'));
  for (const [owner, given] of [
    [key.raw.subarray(1), signature],
    [key.raw, signature.subarray(1)],
    [Buffer.alloc(0), Buffer.alloc(0)],
    // u = -1 has no counterpart on the other curve.
    [Buffer.concat([Buffer.from([0xec]), Buffer.alloc(30, 0xff), Buffer.from([0x7f])]), signature],
    [Buffer.alloc(32), signature],
    [Buffer.alloc(32, 0xff), signature],
  ] as const)
    expect(verifySignature(owner, Buffer.from('x'), given)).toBe(false);
});
