/** The endpoint of the webhooks of a simulated world. It takes the place of the HTTP client, and fails now and then. */
import { createVault } from '../../src/platform/secrets/secret-box.ts';
import type { Egress, EgressAnswer } from '../../src/platform/http-client/safe-http-client.ts';
import { createWebhook } from '../../src/notifications/webhooks/manage-webhooks.ts';
import { signMessage } from '../../src/notifications/webhooks/sign.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import type { Owner } from '../../test/support/ledger.ts';
import { seededRandom } from '../../test/support/inputs/random.ts';
import type { History } from './history.ts';
import { readEventData, type EventData } from './read-events.ts';
import { current } from './virtual-time.ts';

export interface ReceiverChances {
  /** No connection: nothing arrives. */
  refuse: number;
  /** It arrives, and the answer is an error. */
  fail: number;
  /** It arrives, and no answer comes within 15 s. */
  silent: number;
  /** It is accepted, and the connection breaks before the answer has come. */
  loseAnswer: number;
  /** It is accepted after more than 2 s, which makes the endpoint a slow one. */
  slow: number;
}

export const KIND_RECEIVER: ReceiverChances = { refuse: 0, fail: 0, silent: 0, loseAnswer: 0, slow: 0 };
const NASTY: ReceiverChances = { refuse: 0.06, fail: 0.08, silent: 0.03, loseAnswer: 0.06, slow: 0.04 };

const TIMEOUT_MS = 15_000;
const SLOW_MS = 2_500;
/** Any key: it seals the secrets of one world. */
const KEY = Buffer.alloc(32, 7);

export interface Receiver {
  chances: ReceiverChances;
  egress: Egress;
  vault: ReturnType<typeof createVault>;
  /** Registers a webhook for all events of the owner. */
  register(db: Database, owner: Owner): Promise<void>;
}

const later = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

export function openReceiver(seed: number, history: History): Receiver {
  const random = seededRandom(seed ^ 0x3eb);
  const vault = createVault({ key: KEY });
  const endpoints = new Map<string, { accountId: number; secret: Buffer }>();
  const receiver: Receiver = {
    chances: NASTY,
    vault,
    egress: { requireUrl: () => undefined, post, close: () => undefined },
    async register(db, owner) {
      const url = `https://receiver.example/${owner.accountId}`;
      const { verifier } = await createWebhook({ db, vault, egress: receiver.egress }, owner, {
        url,
        description: '',
        events: ['*'],
        signature: 'v1',
      });
      const secret = Buffer.from(verifier.slice('whsec_'.length), 'base64');
      endpoints.set(url, { accountId: owner.accountId, secret });
    },
  };

  async function post(url: string, { headers, body, signal }: Parameters<Egress['post']>[1]): Promise<EgressAnswer> {
    const { chances } = receiver;
    await later(random() * 40);
    signal?.throwIfAborted();
    const drawn = random();
    let limit = chances.refuse;
    if (drawn < limit) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const message = readMessage(url, headers, String(body));
    const note = (verdict: 'accepted' | 'answer lost' | 'rejected' | 'unanswered') =>
      history.add({ kind: 'message', process: current.getStore()?.name ?? 'nobody', verdict, ...message });
    if (drawn < (limit += chances.fail)) {
      note('rejected');
      await later(random() * 40);
      return { status: random() < 0.5 ? 500 : 503, retryAfterSeconds: random() < 0.3 ? 10 : 0, body: 'not now' };
    }
    if (drawn < (limit += chances.silent)) {
      note('unanswered');
      await later(TIMEOUT_MS);
      throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    }
    if (drawn < (limit += chances.loseAnswer)) {
      note('answer lost');
      await later(random() * 40);
      throw Object.assign(new Error('broken'), { code: 'ECONNRESET' });
    }
    note('accepted');
    await later(drawn < limit + chances.slow ? SLOW_MS : random() * 40);
    signal?.throwIfAborted();
    return { status: 204, retryAfterSeconds: 0, body: '' };
  }

  /** Throws where the signature is wrong: nothing unsigned may be taken for a message. */
  function readMessage(url: string, headers: Readonly<Record<string, string>>, body: string) {
    const endpoint = endpoints.get(url);
    if (!endpoint) throw new Error(`${url} is no endpoint`);
    const id = headers['webhook-id'] ?? '';
    const timestamp = Number(headers['webhook-timestamp']);
    if (headers['webhook-signature'] !== signMessage('v1', [endpoint.secret], { messageId: id, timestamp, body }))
      throw new Error(`${id} is not signed`);
    const { type, data } = JSON.parse(body) as { type: string; data: EventData };
    return { accountId: endpoint.accountId, id, ...readEventData(type, data) };
  }

  return receiver;
}
