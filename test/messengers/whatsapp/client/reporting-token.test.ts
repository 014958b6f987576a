/** Reporting tokens: right for each kind of message that the service sends. The derivation is the peer's, not the library's. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { MESSAGE_EDIT, type Message } from '../../../../src/messengers/whatsapp/client/message.ts';
import { createReportingToken } from '../../../../src/messengers/whatsapp/client/reporting-token.ts';
import { deriveReportingToken } from '../../../../harness/whatsapp-peer/reporting-token.ts';
import { bytesOf, child } from '../../../../harness/whatsapp-peer/stanza.ts';

const file = () => ({
  url: 'https://media.example/v/t62',
  directPath: '/v/t62',
  mediaKey: randomBytes(32),
  fileSha256: randomBytes(32),
  fileEncSha256: randomBytes(32),
  fileLength: 1_000,
  contextInfo: { expiration: 86_400 },
});
const text = (n: number) => 'Flea market ü 😀 '.repeat(1 + (n % 60));

const KINDS: Readonly<Record<string, (n: number) => Message>> = {
  'a text': (n) => ({ extendedTextMessage: { text: text(n), contextInfo: { expiration: n } } }),
  'a picture': (n) => ({ imageMessage: { ...file(), mimetype: 'image/jpeg', caption: text(n), height: n, width: n } }),
  'a film': (n) => ({ videoMessage: { ...file(), mimetype: 'video/mp4', caption: text(n), seconds: n } }),
  'a sound': (n) => ({ audioMessage: { ...file(), mimetype: 'audio/ogg', seconds: n } }),
  'a document': (n) => ({ documentMessage: { ...file(), mimetype: 'application/pdf', fileName: `${n}.pdf` } }),
  'an edit': (n) => ({
    protocolMessage: {
      key: { remoteJid: '1203@g.us', fromMe: true, id: `3EB0${n}` },
      type: MESSAGE_EDIT,
      editedMessage: { extendedTextMessage: { text: text(n) } },
      timestampMs: 1_700_000_000_000 + n,
    },
  }),
};

test.each(Object.entries(KINDS))('%s has the right reporting token, a thousand times', async (_kind, build) => {
  for (let n = 0; n < 1_000; n++) {
    const message = { ...build(n), messageContextInfo: { messageSecret: randomBytes(32) } };
    const about = { messageId: `3EB0AF${n}`, author: '7700000001@lid', chatId: '120363000000000001@g.us' };
    const node = await createReportingToken(message, about);
    const expected = deriveReportingToken(message, about).toString('hex');
    expect(bytesOf(child(node, 'reporting_token')).toString('hex')).toBe(expected);
  }
});

test('a message without a secret has no reporting token', async () => {
  const about = { messageId: '3EB0AF', author: '7700000001@lid', chatId: '120363000000000001@g.us' };
  expect(await createReportingToken({ extendedTextMessage: { text: 'Hello' } }, about)).toBeUndefined();
});
