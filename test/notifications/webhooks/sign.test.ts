import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { generateSecret, signMessage, verifierOf } from '../../../src/notifications/webhooks/sign.ts';
import { parseRetryAfter } from '../../../src/platform/http-client/retry-after.ts';
import { nextAttemptIn } from '../../../src/notifications/webhooks/deliver-batch.ts';

test('signs the test vector of Standard Webhooks', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = {
    messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  };
  expect(signMessage('v1', [secret], message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('verifies with the standard’s library under either of two secrets, and under no other', () => {
  const [present, former, other] = [generateSecret(), generateSecret(), generateSecret()];
  const message = {
    messageId: randomUUID(),
    timestamp: Math.floor(Date.now() / 1_000),
    body: '{"type":"webhook.test"}',
  };
  const headers = {
    'webhook-id': message.messageId,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signMessage('v1', [present, former], message),
  };
  for (const secret of [present, former])
    expect(new Webhook(verifierOf('v1', secret)).verify(message.body, headers)).toEqual({ type: 'webhook.test' });
  expect(() => new Webhook(verifierOf('v1', other)).verify(message.body, headers)).toThrow('No matching signature');
  expect(() => new Webhook(verifierOf('v1', present)).verify(`${message.body} `, headers)).toThrow(
    'No matching signature',
  );
});

test('verifies v1a with the public key', () => {
  const secret = generateSecret();
  const message = { messageId: 'msg_1', timestamp: 1614265330, body: '{"ü":1}' };
  const [, signature = ''] = signMessage('v1a', [secret], message).split(',');
  const publicKey = Buffer.from(verifierOf('v1a', secret).replace('whpk_', ''), 'base64');
  expect(publicKey).toHaveLength(32);
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  });
  const signed = Buffer.from('msg_1.1614265330.{"ü":1}');
  expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(verify(null, Buffer.from('msg_1.1614265331.{"ü":1}'), key, Buffer.from(signature, 'base64'))).toBe(false);
});

test('retries at the times of the standard after the first attempt, with up to 10 % jitter', () => {
  const HOUR = 3_600;
  const times: number[] = [];
  let at = 0;
  for (let wait = nextAttemptIn(at, 0, () => 1); wait; wait = nextAttemptIn(at, 0, () => 1)) {
    at += wait;
    times.push(at / 1.1);
  }
  const expected = [5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
  expect(times.map((time) => Math.round(time))).toEqual(expected);
});

test('waits as long as an endpoint asks for, up to a day', () => {
  expect(nextAttemptIn(0, 120, () => 0)).toBe(120);
  expect(nextAttemptIn(0, 1, () => 0)).toBe(5);
  expect(nextAttemptIn(0, 999_999_999, () => 0)).toBe(86_400);
});

test('reads Retry-After as seconds or as a date', () => {
  const nowMs = Date.parse('2030-01-01T00:00:00Z');
  expect(parseRetryAfter('120', nowMs)).toBe(120);
  expect(parseRetryAfter('Tue, 01 Jan 2030 00:10:00 GMT', nowMs)).toBe(600);
  expect(parseRetryAfter('Mon, 31 Dec 2029 23:59:00 GMT', nowMs)).toBe(0);
  expect(parseRetryAfter('soon', nowMs)).toBe(0);
  expect(parseRetryAfter(undefined, nowMs)).toBe(0);
});
