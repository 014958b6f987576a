import { expect, test } from 'vitest';
import { bytesOf } from '../../../src/messengers/whatsapp/client/node.ts';
import { isSignedBy } from '../../../harness/whatsapp-peer/independent-keys.ts';
import { decodeFields } from '../../../harness/whatsapp-peer/protobuf-fields.ts';
import { addGroup, lidOf } from '../../../harness/whatsapp-peer/world.ts';
import { addMember, deliver, enc, paddedText, type Known } from './engine-scene.ts';

export function expectSessions({ scene, account }: Known): void {
  test('the account’s identity is signed by its phone and by itself', async () => {
    const { client } = await scene().online(account().credentials);
    const { companion, phone } = account();
    const signed = decodeFields(bytesOf(client.signal.deviceIdentity()));
    const [details, phoneKey] = [signed.bytes(1), signed.bytes(2)];
    const own = Buffer.from(companion.bundle?.identityKey ?? []).subarray(-32);
    const by = (prefix: number, ...more: Buffer[]) => Buffer.concat([Buffer.from([6, prefix]), details, own, ...more]);
    expect(phoneKey.equals(phone.devices[0]?.creds.signedIdentityKey.public ?? Buffer.alloc(0))).toBe(true);
    expect(isSignedBy(phoneKey, by(0), signed.bytes(3))).toBe(true);
    expect(isSignedBy(own, by(1, phoneKey), signed.bytes(4))).toBe(true);
  });

  test('a device reads what was encrypted for it, and nobody else', async () => {
    const { signal } = (await scene().online(account().credentials)).client;
    const [ann, eve] = [addMember(scene()), addMember(scene())];
    const jid = lidOf(ann.person);
    await signal.startSession(jid, ann.device.bundle());
    for (const text of ['first', 'second']) {
      const encrypted = await signal.encrypt(jid, paddedText(text));
      expect(encrypted.type).toBe('pkmsg');
      expect(() => eve.device.decrypt(encrypted)).toThrow(/another signed prekey|never given out|wrong MAC/);
      expect(ann.device.decrypt(encrypted)).toEqual(paddedText(text));
      expect(() => ann.device.decrypt(encrypted)).toThrow('used before');
    }
    expect(await signal.findSessions([jid, lidOf(eve.person)])).toEqual(new Set([jid]));
    expect(await signal.registrationIdOf(jid)).toBe(ann.device.bundle().registrationId);
    await signal.dropSessions([jid]);
    expect(await signal.findSessions([jid])).toEqual(new Set());
    await expect(signal.encrypt(jid, paddedText('lost'))).rejects.toBeInstanceOf(Error);
  });

  test('a device that has no key for one use left is written to', async () => {
    const { signal } = (await scene().online(account().credentials)).client;
    const ann = addMember(scene());
    await signal.startSession(lidOf(ann.person), ann.device.bundle({ hasPreKey: false }));
    const encrypted = await signal.encrypt(lidOf(ann.person), paddedText('hello'));
    expect(ann.device.decrypt(encrypted)).toEqual(paddedText('hello'));
  });

  test('keys that the device has not signed start no session', async () => {
    const { signal } = (await scene().online(account().credentials)).client;
    const ann = addMember(scene());
    const forged = ann.device.bundle({ isForged: true });
    await expect(signal.startSession(lidOf(ann.person), forged)).rejects.toBeInstanceOf(Error);
    expect(await signal.findSessions([lidOf(ann.person)])).toEqual(new Set());
  });

  test('the sessions answer each other: after a reply the next message begins no session', async () => {
    const { companion, phone } = account();
    const ann = addMember(scene());
    const group = addGroup(scene().peer.world, phone, { subject: 'Chess' }, [ann.person]);
    const { signal } = (await scene().online(account().credentials)).client;
    const jid = lidOf(ann.person);
    await signal.startSession(jid, ann.device.bundle());
    expect(ann.device.decrypt(await signal.encrypt(jid, paddedText('hello')))).toEqual(paddedText('hello'));
    for (const text of ['one', 'two', 'three']) {
      const reply = ann.device.encrypt(paddedText(text));
      await deliver(companion, { chatId: group.id, by: ann, parts: [enc(reply.type, reply.ciphertext)] });
      const next = await signal.encrypt(jid, paddedText(`after ${text}`));
      expect(next.type).toBe('msg');
      expect(ann.device.decrypt(next)).toEqual(paddedText(`after ${text}`));
    }
  });
}

export function expectSenderKeys({ scene, account }: Known): void {
  test('a member reads the group’s messages from the key on, also when some are lost', async () => {
    const { signal, me } = (await scene().online(account().credentials)).client;
    const [ann, late] = [addMember(scene()), addMember(scene())];
    const sender = { group: '120363000000000001@g.us', meId: me?.lid ?? '' };
    expect(await signal.findSenderKey(sender)).toBeUndefined();
    const first = await signal.encryptForGroup(sender, paddedText('one'));
    ann.device.learnSenderKey(first.senderKey);
    expect(ann.device.decryptGroup(first.ciphertext)).toEqual(paddedText('one'));
    const lost = await signal.encryptForGroup(sender, paddedText('lost'));
    const third = await signal.encryptForGroup(sender, paddedText('three'));
    expect(ann.device.decryptGroup(third.ciphertext)).toEqual(paddedText('three'));
    expect(ann.device.decryptGroup(lost.ciphertext)).toEqual(paddedText('lost'));

    const present = await signal.findSenderKey(sender);
    late.device.learnSenderKey(present ?? Buffer.alloc(0));
    const fourth = await signal.encryptForGroup(sender, paddedText('four'));
    expect(late.device.decryptGroup(fourth.ciphertext)).toEqual(paddedText('four'));
    expect(() => late.device.decryptGroup(first.ciphertext)).toThrow('used before');
  });

  test('a dropped key is replaced by another one', async () => {
    const { signal, me } = (await scene().online(account().credentials)).client;
    const ann = addMember(scene());
    const sender = { group: '120363000000000002@g.us', meId: me?.lid ?? '' };
    ann.device.learnSenderKey((await signal.encryptForGroup(sender, paddedText('one'))).senderKey);
    await signal.dropSenderKey(sender);
    expect(await signal.findSenderKey(sender)).toBeUndefined();
    const { ciphertext, senderKey } = await signal.encryptForGroup(sender, paddedText('two'));
    expect(() => ann.device.decryptGroup(ciphertext)).toThrow('another sender key');
    ann.device.learnSenderKey(senderKey);
    expect(ann.device.decryptGroup(ciphertext)).toEqual(paddedText('two'));
  });
}
