import { expect, onTestFinished, test } from 'vitest';
import { NoAnswerError, QueryRejectedError } from '../../../src/messengers/whatsapp/client/errors.ts';
import { bytesOf, childOf, type Node } from '../../../src/messengers/whatsapp/client/node.ts';
import { sendReceipt } from '../../../harness/whatsapp-peer/phones.ts';
import { element, seconds } from '../../../harness/whatsapp-peer/stanza.ts';
import { addMember, mediaQuery, newNumber, rejectionOf, type Known } from './engine-scene.ts';

export function expectStanzas({ scene, account }: Known): void {
  test('a query resolves to its answer', async () => {
    const { client } = await scene().online(account().credentials);
    const answer = await client.query(mediaQuery());
    expect(childOf(answer, 'media_conn')?.attrs).toMatchObject({ ttl: '3600' });
  });

  test('a query that WhatsApp rejects throws its code', async () => {
    const { client } = await scene().online(account().credentials);
    scene().peer.script.refuseQuery = () => 429;
    const error = await rejectionOf(client.query(mediaQuery()));
    expect(error).toBeInstanceOf(QueryRejectedError);
    expect(error).toMatchObject({ code: 429 });
  });

  test('a query without an answer throws: it never resolves to nothing', async () => {
    let unanswered = 0;
    const { client } = await scene().online(account().credentials, { onUnanswered: () => (unanswered += 1) });
    scene().peer.script.refuseQuery = () => 'silence';
    expect(await rejectionOf(client.query(mediaQuery(), 200))).toBeInstanceOf(NoAnswerError);
    expect(unanswered).toBe(1);
  });

  test('a message is sent as it is, and only an `ack` answers it', async () => {
    const { companion, credentials } = account();
    const { client } = await scene().online(credentials);
    const [id, to] = [client.createTag(), '120363000000000404@g.us'];
    const pending = client.awaitAck(id);
    onTestFinished(() => pending.stop());
    const gate = Promise.withResolvers<void>();
    scene().peer.script.judge = () => ({ refuse: 404, answerAfter: gate.promise });
    const content: Node[] = [{ tag: 'body', attrs: { kind: 'x' }, content: Buffer.from([0, 1, 255]) }];
    await client.sendNode({ tag: 'message', attrs: { id, to, type: 'text' }, content });
    await sendReceipt(companion, { chatId: to, messageIds: [id], by: addMember(scene()).person });
    expect(await pending.within(50)).toBeUndefined();
    gate.resolve();
    expect(await pending.within(60_000)).toMatchObject({ tag: 'ack', attrs: { id, error: '404' } });
    const received = scene().peer.received.find(({ attrs }) => attrs['id'] === id);
    expect(received?.attrs).toMatchObject({ to, type: 'text' });
    expect(bytesOf(childOf(received as Node, 'body'))).toEqual(Buffer.from([0, 1, 255]));
  });

  test('a stanza reaches its listeners, and an interceptor before them', async () => {
    const { companion, credentials } = account();
    const seen: string[] = [];
    const { client } = await scene().online(credentials, {
      onClient(client) {
        client.onStanza({ tag: 'notification', type: 'other' }, () => void seen.push('another type'));
        client.onStanza({ tag: 'notification', child: 'set' }, () => void seen.push('child'));
        client.onStanza({ tag: 'notification', type: 'picture', child: 'set' }, () => void seen.push('type and child'));
        client.interceptStanzas('notification', (stanza, pass) => {
          seen.push('first');
          if (stanza.attrs['id'] === 'passed') pass();
        });
      },
    });
    const about = { from: 's.whatsapp.net', type: 'picture', t: seconds() };
    const withheld = companion.outbox.put(companion.connection, element('notification', { ...about, id: 'withheld' }));
    await companion.outbox.put(
      companion.connection,
      element('notification', { ...about, id: 'passed' }, [element('set')]),
    );
    const [stanza] = [{ tag: 'notification', attrs: { ...about, id: 'withheld' } }];
    let isAcknowledged = false;
    void withheld.then(() => (isAcknowledged = true));
    expect(isAcknowledged).toBe(false);
    expect(seen.toSorted()).toEqual(['child', 'first', 'first', 'type and child']);
    await client.acknowledge(stanza);
    expect((await withheld).attrs).toMatchObject({ id: 'withheld', class: 'notification' });
  });
}

export function expectIds({ scene, account }: Known): void {
  test('pairs of a person’s ids are stored, after they were reported', async () => {
    const told: unknown[] = [];
    let isDown = true;
    const { client } = await scene().online(account().credentials, {
      onLidMappings(pairs) {
        if (isDown) return Promise.reject(new Error('nothing can be recorded'));
        told.push(...pairs);
        return Promise.resolve();
      },
    });
    const pair = { lid: '7799001', number: newNumber() };
    await rejectionOf(client.lids.store([pair]));
    expect(await client.lids.findNumber(pair.lid)).toBeUndefined();
    isDown = false;
    await client.lids.store([pair]);
    expect(told).toEqual([pair]);
    expect(await client.lids.findNumber(pair.lid)).toBe(pair.number);
    expect(await client.lids.findLids([pair.number, newNumber()])).toEqual(new Map([[pair.number, pair.lid]]));
  });
}
