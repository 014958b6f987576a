import type { Socket } from './socket.ts';

const ANSWER_MS = 10_000;
const LOGGED_OUT = 401;

/**
 * Ends the link at WhatsApp, so that the phone lists it no more. Awaits that WhatsApp says so, which the client's own `logout` does
 * not: by an answer, or by throwing the device out. Rejects when it does neither.
 */
export async function logOut({ client, ended }: Socket): Promise<void> {
  const jid = client.authState.creds.me?.id;
  if (jid === undefined) return;
  const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } };
  const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'md', id: client.generateMessageTag() };
  const answered = client.query({ tag: 'iq', attrs, content: [removal] }, ANSWER_MS).then((answer: unknown) => {
    if (answer === undefined) throw new Error('WhatsApp did not answer');
  });
  const thrownOut = ended.then(({ code }) => {
    if (code !== LOGGED_OUT) throw new Error('the connection ended before WhatsApp answered');
  });
  await Promise.any([answered, thrownOut]);
}
