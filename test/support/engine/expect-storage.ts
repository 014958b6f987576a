import { expect, test } from 'vitest';
import type { Socket } from '../../../src/messengers/whatsapp/client/engine.ts';
import type { KeyChange } from '../../../src/messengers/whatsapp/client/key-storage.ts';
import { decodeFields } from '../../../harness/whatsapp-peer/protobuf-fields.ts';
import { addGroup, lidOf, type Group } from '../../../harness/whatsapp-peer/world.ts';
import {
  addMember,
  deliver,
  enc,
  encryptTo,
  paddedSenderKey,
  paddedText,
  type Known,
  type Member,
} from './engine-scene.ts';

/** A group of the account and a member whose device is independent. */
function addConversation({ scene, account }: Known): { ann: Member; group: Group } {
  const ann = addMember(scene());
  return { ann, group: addGroup(scene().peer.world, account().phone, { subject: 'Chess' }, [ann.person]) };
}

export function expectInbound(known: Known): void {
  const { scene, account } = known;
  test('a message to a group is decrypted, handled, and then acknowledged', async () => {
    const { companion, credentials } = account();
    const { ann, group } = addConversation(known);
    const heard: unknown[] = [];
    await scene().online(credentials, {
      onClient: (client) =>
        client.interceptMessages((stanza, message) => {
          heard.push([stanza.attrs['participant'], message.conversation]);
          return Promise.resolve();
        }),
    });
    const key = encryptTo(ann, companion, paddedSenderKey(group.id, ann.device.createSenderKey()));
    const parts = [enc(key.type, key.ciphertext), enc('skmsg', ann.device.encryptGroup(paddedText('one')))];
    await deliver(companion, { chatId: group.id, by: ann, parts });
    const next = [enc('skmsg', ann.device.encryptGroup(paddedText('two')))];
    await deliver(companion, { chatId: group.id, by: ann, parts: next });
    const texts = heard.filter((one) => (one as unknown[])[1]);
    expect(texts).toEqual(['one', 'two'].map((text) => [lidOf(ann.person), text]));
  });

  test('a message that was not handled is not lost: it comes again, and decrypts again', async () => {
    const { companion, credentials, storage } = account();
    const { ann, group } = addConversation(known);
    const heard: string[] = [];
    let isDown = true;
    await scene().online(credentials, {
      onClient: (client) =>
        client.interceptMessages((_stanza, { conversation }) => {
          if (isDown) return Promise.reject(new Error('nothing can be recorded'));
          if (conversation) heard.push(conversation);
          return Promise.resolve();
        }),
    });
    const write = (text: string) => {
      const { type, ciphertext } = encryptTo(ann, companion, paddedText(text));
      return [enc(type, ciphertext)];
    };
    const before = storage.writes.flat().filter(({ kind }) => kind === 'session').length;
    const arrived = deliver(companion, {
      chatId: group.id,
      by: ann,
      parts: write('kept'),
      again() {
        expect(storage.writes.flat().filter(({ kind }) => kind === 'session')).toHaveLength(before);
        isDown = false;
        return write('kept');
      },
    });
    await arrived;
    await expect.poll(() => heard).toEqual(['kept']);
  });
}

export function expectStorage({ scene, account, createEngine }: Known): void {
  const startSession = async ({ client }: Socket) => {
    const ann = addMember(scene());
    const jid = lidOf(ann.person);
    await client.signal.startSession(jid, ann.device.bundle());
    return { ann, jid, encrypt: (text: string) => client.signal.encrypt(jid, paddedText(text)) };
  };

  test('a transaction stores all that it changed at once, and one runs at a time', async () => {
    const { credentials, storage } = account();
    const socket = await scene().online(credentials);
    const [one, other] = [await startSession(socket), await startSession(socket)];
    const order: string[] = [];
    const before = storage.writes.length;
    const run = (name: string) =>
      socket.client.signal.transaction(async () => {
        order.push(`${name} begins`);
        const encrypted = [await one.encrypt(name), await other.encrypt(name)];
        order.push(`${name} ends`);
        return encrypted;
      });
    const [[first], [second]] = await Promise.all([run('a'), run('b')]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    const isTheirs = ({ name }: KeyChange) => [one, other].some(({ ann }) => name.includes(ann.person.lid));
    const writes = storage.writes.slice(before).map((changes) => changes.filter(isTheirs).length);
    expect(writes.filter((count) => count > 0)).toEqual([2, 2]);
    for (const [name, encrypted] of [['a', first] as const, ['b', second] as const])
      expect(encrypted && one.ann.device.decrypt(encrypted)).toEqual(paddedText(name));
  });

  test('a transaction that fails, or cannot be stored, changes nothing', async () => {
    const { credentials, storage } = account();
    const socket = await scene().online(credentials);
    const { ann, jid, encrypt } = await startSession(socket);
    const failed = socket.client.signal.transaction(async () => {
      await encrypt('never sent');
      throw new Error('the work failed');
    });
    await expect(failed).rejects.toThrow('the work failed');
    storage.isBroken = true;
    await expect(socket.client.signal.transaction(() => encrypt('never stored'))).rejects.toThrow(
      'the storage is broken',
    );
    storage.isBroken = false;
    const { type, ciphertext } = await socket.client.signal.encrypt(jid, paddedText('sent'));
    expect(ann.device.decrypt({ type, ciphertext })).toEqual(paddedText('sent'));
    expect(counterOf(ciphertext)).toBe(0);
  });

  test('sessions and sender keys outlive the process', async () => {
    const { credentials, storage } = account();
    const socket = await scene().online(credentials);
    const { ann, jid, encrypt } = await startSession(socket);
    ann.device.decrypt(await encrypt('before'));
    const sender = { group: '120363000000000003@g.us', meId: socket.client.me?.lid ?? '' };
    ann.device.learnSenderKey((await socket.client.signal.encryptForGroup(sender, paddedText('before'))).senderKey);
    socket.end();
    await socket.ended;
    const stored = await createEngine().loadCredentials(storage);
    if (!stored) throw new Error('nothing was stored');
    const { signal } = (await scene().online(stored)).client;
    expect(ann.device.decrypt(await signal.encrypt(jid, paddedText('after')))).toEqual(paddedText('after'));
    const { ciphertext } = await signal.encryptForGroup(sender, paddedText('after'));
    expect(ann.device.decryptGroup(ciphertext)).toEqual(paddedText('after'));
  });

  test('records of the adapter are stored as they are, and deleted', async () => {
    const { store } = account().credentials;
    const numbers = { '0': 1, '1': 2 };
    await store.write(
      'adapter',
      new Map<string, unknown>([
        ['a', { list: [1, 2, 3], numbers }],
        ['b', 'text'],
      ]),
    );
    await store.write('adapter', new Map([['b', null]]));
    const { store: later } = (await createEngine().loadCredentials(account().storage)) ?? {};
    expect(await later?.list('adapter')).toEqual(new Map([['a', { list: [1, 2, 3], numbers }]]));
    expect(await later?.read('adapter', ['a', 'b', 'c'])).toEqual(new Map([['a', { list: [1, 2, 3], numbers }]]));
  });
}

/** The number of a message in its chain, of a first message of a session. */
function counterOf(preKeyMessage: Uint8Array): number {
  const message = decodeFields(preKeyMessage.subarray(1)).bytes(4);
  return decodeFields(message.subarray(1, -8)).number(2) ?? 0;
}
