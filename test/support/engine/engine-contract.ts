/**
 * What the adapter expects of a client library, in terms of its interface alone. Everything that is encrypted is read and written by a
 * device that shares no code with the library.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { Engine } from '../../../src/messengers/whatsapp/client/engine.ts';
import { startEngineScene, type EngineScene, type LinkedAccount, type Known } from './engine-scene.ts';
import { expectConnections } from './expect-connections.ts';
import { expectSenderKeys, expectSessions } from './expect-encryption.ts';
import { expectIds, expectStanzas } from './expect-stanzas.ts';
import { expectInbound, expectStorage } from './expect-storage.ts';

export function expectEngine(name: string, createEngine: () => Engine): void {
  describe(`contract of an engine: ${name}`, () => {
    let scene: EngineScene;
    let account: LinkedAccount;
    const known: Known = { scene: () => scene, account: () => account, createEngine };
    beforeAll(async () => {
      scene = await startEngineScene(createEngine);
      account = await scene.link();
    });
    afterEach(() => scene.peer.behave());
    afterAll(() => scene.stop());

    describe('connections', () => {
      expectConnections(known);
    });
    describe('queries and stanzas', () => {
      expectStanzas(known);
    });
    describe('ids of people', () => {
      expectIds(known);
    });
    describe('sessions with devices', () => {
      expectSessions(known);
    });
    describe('sender keys', () => {
      expectSenderKeys(known);
    });
    describe('received messages', () => {
      expectInbound(known);
    });
    describe('the storage', () => {
      expectStorage(known);
    });
  });
}
