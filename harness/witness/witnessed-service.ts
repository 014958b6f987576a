import { mkdtemp } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sleep } from '../../src/platform/time/time.ts';
import { post, type Answer } from '../../test/support/app.ts';
import { PATIENCE_MS } from '../../test/support/patience.ts';
import { proxiedUrl } from '../../test/support/servers/own-postgres.ts';
import { startProxy, type Proxy } from '../../test/support/servers/proxy.ts';
import { removeService, startService } from '../../test/support/service/service.ts';
import { signUpSender } from '../../test/support/service/storm.ts';
import { comparePosts, type ExpectedRun } from './compare-posts.ts';
import { startWitness, type Witness } from './start-witness.ts';
import { ENTRY } from './start-worker.ts';

const GAP = { minMs: 25, maxMs: 40 };
/** 5 s for a connection, 10 s until one counts as silent, and several times as long on a busy machine. */
const LONGEST_ANSWER_MS = 60_000;

/** A service process with a proxy, a database server and a witness. */
export interface WitnessedService {
  url: string;
  network: Proxy;
  witness: Witness;
  pid: number;
  /** Retries until the answer is not 503; fails unless it is 200 or a well-formed 503. */
  call<Data>(path: string, body?: object): Promise<Data>;
  /** Sends one request. */
  ask(path: string, body?: object): Promise<Answer>;
  /** Sends to all groups. Resolves when the campaign is accepted. */
  send(text: string): Promise<void>;
  /** Returns the number of accepted posts with that text. */
  accepted(text: string): Promise<number>;
  /** Waits until all campaigns have ended and checks the posts of the witness; the process must be the same. */
  expectNothingLostOrTwice(): Promise<void>;
  remove(): Promise<void>;
}

const nowMs = () => performance.timeOrigin + performance.now();

/** `database` returns the current address of the server. */
export async function startWitnessedService(
  database: { socket: () => NetConnectOpts; user: string; database: string },
  groups: number,
): Promise<WitnessedService> {
  const undo = new AsyncDisposableStack();
  const network = await startProxy(database.socket);
  undo.defer(network.close);
  const witness = await startWitness();
  undo.defer(witness.stop);
  const folder = await mkdtemp(join(tmpdir(), 'campanile-witnessed-'));
  const service = await startService({
    folder,
    entry: ENTRY,
    environment: {
      DATABASE_URL: proxiedUrl(network.port, database),
      WITNESS_PORT: String(witness.port),
      SANDBOX_GAP_MS: `${GAP.minMs}-${GAP.maxMs}`,
    },
  });
  undo.defer(() => removeService(service));
  undo.defer(() => service.kill());
  let ended = false;
  void service.ended.then(() => (ended = true));

  const { token } = await signUpSender(service.url, 'alice');
  const ask = (path: string, body: object = {}) => post(service.url, path, body, token);
  async function call<Data>(path: string, body: object = {}): Promise<Data> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const startedAt = performance.now();
      const answer = await ask(path, body);
      expect(performance.now() - startedAt).toBeLessThan(LONGEST_ANSWER_MS);
      if (answer.status === 200) return answer.body.data as unknown as Data;
      expectPutOff(answer);
      if (performance.now() > deadline) throw new Error(`${path} was put off for too long`);
      await sleep(100);
    }
  }

  for (let index = 0; index < groups; index++)
    await call('venom/create-group', { group_name: `Group ${index}`, participants: [] });
  const listed = await call<Listed>('venom/list-groups', { limit: 500 });
  const groupIds = listed.groups.map((group) => group.group_metadata_id);
  const chatIds = listed.groups.map(({ nid }) => `${nid.user}@${nid.server}`);
  const sent: Array<{ campaignId: string; run: ExpectedRun }> = [];

  return {
    url: service.url,
    network,
    witness,
    pid: service.pid,
    call,
    ask,
    async send(text) {
      const askedMs = nowMs();
      const campaign = { name: text, html: text, group_metadata_ids: groupIds };
      const { campaign_id } = await call<{ campaign_id: string }>('venom/add-campaign', campaign);
      const times = { askedMs, dueMs: nowMs() };
      const run = { accountId: 1, text, chatIds, halts: [], cancelled: false, ...times };
      sent.push({ campaignId: campaign_id, run });
    },
    accepted: async (text) =>
      (await witness.entries()).filter((entry) => entry.text === text && entry.verdict === 'accepted').length,
    async expectNothingLostOrTwice() {
      for (const { campaignId } of sent) {
        const path = 'analytics/get-campaign-group-analytics-master';
        let totals: Totals;
        do {
          ({ totals } = await call<{ totals: Totals }>(path, { campaign_id: campaignId }));
          await sleep(50);
        } while (totals.queued > 0);
        expect(totals).toMatchObject({ sent: groups, failed: 0, cancelled: 0 });
      }
      const { faults } = comparePosts(await witness.entries(), {
        runs: sent.map(({ run }) => run),
        gapMs: new Map([[1, GAP.minMs]]),
        turnSize: () => 1,
      });
      expect(Object.entries(faults).filter(([, found]) => found > 0)).toEqual([]);
      expect(ended).toBe(false);
    },
    remove: () => undo.disposeAsync(),
  };
}

interface Listed {
  groups: Array<{ group_metadata_id: number; nid: { user: string; server: string } }>;
}
interface Totals {
  queued: number;
  sent: number;
}

/** A 503 as in the contract (§2). */
export function expectPutOff({ status, headers, body }: Answer): void {
  expect([status, body.message]).toEqual([503, expect.any(String)]);
  expect(body).toMatchObject({ error: true, status: 'error', code: 503, data: null });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}
