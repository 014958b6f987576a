import { EventEmitter } from 'node:events';
import type { WASocket } from 'baileys';
import { expect, test } from 'vitest';
import { createClient } from '../../../../src/messengers/whatsapp/client/create-client.ts';
import { NoAnswerError, QueryRejectedError } from '../../../../src/messengers/whatsapp/client/errors.ts';
import type { Node } from '../../../../src/messengers/whatsapp/client/node.ts';

/** A client whose library answers queries with `answer`. */
function clientWith(answer: (query: Node) => Promise<Node | undefined>) {
  const socket = {
    authState: { creds: { noiseKey: { private: Buffer.alloc(32) } }, keys: {} },
    ws: new EventEmitter(),
    ev: new EventEmitter(),
    signalRepository: {},
    query: answer,
  } as unknown as WASocket;
  return createClient(socket, () => {});
}

const QUERY = { type: 'get', xmlns: 'usync', content: [] } as const;

test('resolves to the answer of a query that is sent to WhatsApp’s server', async () => {
  const asked: Node[] = [];
  const client = clientWith((query) => {
    asked.push(query);
    return Promise.resolve({ tag: 'iq', attrs: { type: 'result' } });
  });
  expect(await client.query({ ...QUERY, content: [] })).toEqual({ tag: 'iq', attrs: { type: 'result' } });
  await client.query({ ...QUERY, to: '1203631@newsletter', content: [] });
  expect(asked).toEqual([
    { tag: 'iq', attrs: { type: 'get', xmlns: 'usync', to: '@s.whatsapp.net' }, content: [] },
    { tag: 'iq', attrs: { type: 'get', xmlns: 'usync', to: '1203631@newsletter' }, content: [] },
  ]);
});

test('rejects when a query is not answered', async () => {
  const client = clientWith(() => Promise.resolve(undefined));
  await expect(client.query({ ...QUERY, content: [] })).rejects.toThrow(NoAnswerError);
});

test('rejects with the code when WhatsApp answers a query with an error', async () => {
  const client = clientWith(() => Promise.reject(Object.assign(new Error('rate-overlimit'), { data: 429 })));
  await expect(client.query({ ...QUERY, content: [] })).rejects.toMatchObject({ code: 429 });
  await expect(client.query({ ...QUERY, content: [] })).rejects.toThrow(QueryRejectedError);
});
