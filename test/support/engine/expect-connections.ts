import { expect, test } from 'vitest';
import type { PasskeyOptions, Restriction } from '../../../src/messengers/whatsapp/client/engine.ts';
import { NoAnswerError, QueryRejectedError } from '../../../src/messengers/whatsapp/client/errors.ts';
import { signChallenge } from '../../../harness/whatsapp-peer/authenticator.ts';
import { tellRestriction } from '../../../harness/whatsapp-peer/phones.ts';
import {
  mediaQuery,
  newNumber,
  rejectionOf,
  type EngineScene,
  type Known,
  type LinkedAccount,
} from './engine-scene.ts';
import { createStorageInMemory } from './storage-in-memory.ts';

export function expectConnections({ scene, account, createEngine }: Known): void {
  test('an account is linked when the phone has agreed, and WhatsApp then asks for a new connection', () => {
    const { credentials, phone, ended, storage } = account();
    expect(credentials.isLinked()).toBe(true);
    expect(credentials.phoneNumber()).toBe(phone.number);
    expect(ended).toMatchObject({ code: 515, forgery: undefined });
    expect(storage.writes.length).toBeGreaterThan(0);
    expect(scene().doubts).toEqual([]);
  });

  test('a linked account logs in without a code, and says who it is', async () => {
    const { credentials, phone, companion } = account();
    const codes: string[] = [];
    const { client, passkey } = await scene().online(credentials, { onQr: (qr) => void codes.push(qr) });
    expect({ codes, passkey, isOpen: client.isOpen }).toEqual({ codes: [], passkey: undefined, isOpen: true });
    expect(client.me?.id).toBe(`${phone.number}:${companion.device}@s.whatsapp.net`);
    expect(client.me?.lid).toBe(`${phone.lid}:${companion.device}@lid`);
    expect(client.noiseKey).toHaveLength(32);
  });

  test('nothing is linked when another phone has signed', async () => {
    const { peer, engine, open, doubts } = scene();
    peer.script.forgesPairing = 'signature';
    const credentials = engine.newCredentials(account().storage);
    const phone = peer.addPerson(newNumber());
    const scans: Array<Promise<unknown>> = [];
    const socket = open(credentials, { onQr: (qr) => void scans.push(rejectionOf(peer.scan(phone, qr))) });
    expect(await socket.ended).toMatchObject({ forgery: 'signature' });
    expect(credentials.isLinked()).toBe(false);
    expect(doubts.splice(0)).toEqual(['account_signature']);
    await Promise.all(scans);
  });

  test('a server whose certificates are not those of its key is left', async () => {
    const { peer, open, doubts } = scene();
    peer.script.showsOthersCertificate = true;
    const socket = open(account().credentials);
    expect((await socket.ended).code).not.toBe(401);
    expect(new Set(doubts.splice(0))).toEqual(new Set(['certificate']));
  });

  test.each([
    ['an ended link', (known: LinkedAccount, { peer }: EngineScene) => peer.unlink(known.phone), 401],
    ['a link without a code', (known: LinkedAccount, { peer }: EngineScene) => peer.unlink(known.phone, false), 401],
    ['another client', (known: LinkedAccount, { peer }: EngineScene) => peer.replace(known.phone), 440],
    ['a code of WhatsApp', (known: LinkedAccount, { peer }: EngineScene) => peer.end(known.phone, 503), 503],
  ])('reports why a connection ended: %s', async (_name, end, code) => {
    const other = await scene().link();
    const socket = await scene().online(other.credentials);
    end(other, scene());
    expect((await socket.ended).code).toBe(code);
  });

  test('reports the attributes of a refused login', async () => {
    scene().peer.script.refuseLogin = { reason: '402', code: '101', expire: '3600' };
    const { ended } = scene().open(account().credentials);
    expect(await ended).toMatchObject({ code: 402, attrs: { code: '101', expire: '3600' } });
  });

  test('ends by itself when there is no answer', async () => {
    scene().peer.script.refuseUpgrade = () => 'silence';
    expect((await scene().open(account().credentials, { outcomeMs: 300 }).ended).code).not.toBe(401);
  });

  test('closing ends everything: waits, queries, and the connection', async () => {
    const { credentials, companion } = account();
    const socket = await scene().online(credentials);
    scene().peer.script.refuseQuery = () => 'silence';
    const query = rejectionOf(socket.client.query(mediaQuery()));
    const ack = socket.client.awaitAck('3EB0NEVER').within(600_000);
    socket.end();
    await socket.ended;
    expect(await ack).toBeUndefined();
    expect(await query).toBeInstanceOf(Error);
    for (const kind of [QueryRejectedError, NoAnswerError]) expect(await query).not.toBeInstanceOf(kind);
    expect(socket.client.isOpen).toBe(false);
    expect(await rejectionOf(socket.client.query(mediaQuery(), 300))).toBeInstanceOf(Error);
    await expect.poll(() => companion.connection).toBeUndefined();
  });

  test('a restriction is reported', async () => {
    const told: Restriction[] = [];
    await scene().online(account().credentials, { onRestriction: (one) => void told.push(one) });
    const until = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
    tellRestriction(account().companion, until);
    await expect.poll(() => told).toContainEqual({ isActive: true, endsAt: until });
  });

  test('a code for the phone is given, or its refusal reported', async () => {
    const { peer, engine, open } = scene();
    const phone = peer.addPerson(newNumber());
    const shown = Promise.withResolvers<void>();
    const socket = open(engine.newCredentials(account().storage), { onQr: () => shown.resolve() });
    await shown.promise;
    peer.script.refuseQuery = ({ namespace }) => (namespace === 'md' ? 429 : undefined);
    expect(await rejectionOf(socket.client.requestPairingCode(phone.number))).toMatchObject({ code: 429 });
    peer.script.refuseQuery = () => undefined;
    const code = await socket.client.requestPairingCode(phone.number);
    await peer.enter(phone, code);
    expect(await socket.ended).toMatchObject({ code: 515 });
  });

  test('a number that has a passkey is linked by its answer', async () => {
    const { peer, engine, open } = scene();
    peer.script.asksForPasskey = true;
    const phone = peer.addPerson(newNumber());
    const credentials = engine.newCredentials(createStorageInMemory());
    const requested = Promise.withResolvers<PasskeyOptions>();
    const characters = Promise.withResolvers<string>();
    let scanned: Promise<unknown> | undefined;
    const socket = open(credentials, {
      onQr: (qr) => (scanned ??= peer.scan(phone, qr)),
      passkey: {
        onRequest: requested.resolve,
        onVerificationCode: characters.resolve,
        onFailure: (error) => [requested, characters].forEach(({ reject }) => reject(error)),
      },
    });
    const { rawId, ...assertion } = signChallenge(phone, { rpId: '', ...(await requested.promise) });
    const credentialId = Buffer.from(rawId, 'base64url');
    const answer = { credentialId, json: JSON.stringify({ rawId, ...assertion }) };
    await socket.passkey?.submit(answer);
    await peer.compare(phone, await characters.promise);
    await scanned;
    expect((await socket.ended).code).toBe(515);
    expect(credentials.isLinked()).toBe(true);
  });

  test('credentials outlive the process', async () => {
    const stored = await createEngine().loadCredentials(account().storage);
    if (!stored) throw new Error('nothing was stored');
    expect(stored.phoneNumber()).toBe(account().phone.number);
    expect((await scene().online(stored)).client.isOpen).toBe(true);
  });
}
