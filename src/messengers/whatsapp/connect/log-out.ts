import type { Socket } from '../client/engine.ts';

const ANSWER_MS = 10_000;
const LOGGED_OUT = 401;

/**
 * Ends the link at WhatsApp, so that the phone does not list it any more. Resolves when WhatsApp has confirmed that, by an answer or
 * by logging the device out; the library's own `logout` does not wait. Rejects otherwise.
 */
export async function logOut({ client, ended }: Socket): Promise<void> {
  if (!client.me) return;
  const removal = { tag: 'remove-companion-device', attrs: { jid: client.me.id, reason: 'user_initiated' } };
  const answered = client.query({ type: 'set', xmlns: 'md', content: [removal] }, ANSWER_MS);
  const loggedOut = ended.then(({ code }) => {
    if (code !== LOGGED_OUT) throw new Error('the connection ended before WhatsApp answered');
  });
  await Promise.any([answered, loggedOut]);
}
