/** Restores a ledger from an earlier copy, or starts its copy beside it, in the middle of many campaigns. */
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { findRunning } from '../../src/platform/database/find-running.ts';
import { resumeLedger } from '../../src/operations/hold/resume-ledger.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { post } from '../../test/support/app.ts';
import { until } from '../../test/support/ledger.ts';
import { pick, seededRandom } from '../../test/support/inputs/random.ts';
import { killWithServer, removeService, startService, type Service } from '../../test/support/service/service.ts';
import { signUpSender } from '../../test/support/service/storm.ts';
import { ENTRY } from '../../test/witness/start-worker.ts';
import { startWitness, type Witness } from '../../test/witness/start-witness.ts';

const CAMPAIGNS = 30;
const GROUPS = 3;
const POSTS = CAMPAIGNS * GROUPS;
/** Two heartbeats, and some: what would send has begun by then. */
const BEATS_MS = 4_500;

/** All must be zero. */
export interface PutBackFaults {
  /** Ledgers that were not held. */
  notHeld: number;
  /** Posts that left a held ledger. */
  sentWhileHeld: number;
  /** Posts given to the messaging application under a second id, or again without saying so. */
  sentTwice: number;
  /** Posts that the ledger was released to send, and did not. */
  lost: number;
}

/** The seed decides when the ledger is copied, whether the original lives on, whether its mark is found, and what is done on release. */
export async function putBack(seed: number): Promise<PutBackFaults> {
  await using stack = new AsyncDisposableStack();
  const random = seededRandom(seed);
  const witness = await startWitness(seed);
  stack.defer(witness.stop);
  await witness.behave({ delayMs: [0, 10], loseAck: 0.02, refuse: 0.02 });
  const start = async (folder?: string, others: Record<string, string> = {}) => {
    const environment = { WITNESS_PORT: String(witness.port), SANDBOX_GAP_MS: '20-40', ...others };
    const service = await startService({ ...(folder !== undefined && { folder }), entry: ENTRY, environment });
    stack.defer(() => service.kill());
    return service;
  };
  const first = await start();
  stack.defer(() => removeService(first));
  await sendCampaigns(first);
  const moment = Math.floor(random() * POSTS * 0.6);
  await waitFor(witness, moment);
  const data = join(first.folder, 'data');
  await killWithServer(first, data);
  await cp(data, `${data}-copy`, { recursive: true, filter: (path) => !path.endsWith('socket') });
  const living = await start(first.folder);
  const isBeside = random() < 0.5;
  const environment = {
    DATA_DIR: isBeside ? `${data}-copy` : data,
    STATE_DIR: join(first.folder, pick(random, ['state', 'none'])),
  };
  if (!isBeside) {
    await waitFor(witness, Math.floor(moment + random() * (POSTS - moment)));
    await killWithServer(living, data);
    await rename(data, `${data}-broken`);
    await rename(`${data}-copy`, data);
  }
  const restored = await start(first.folder, environment);
  const arrived = await countArrived(witness);
  if (isBeside) await waitFor(witness, POSTS);
  await sleep(BEATS_MS);
  const held = {
    notHeld: restored.log().includes('sends nothing') ? 0 : 1,
    sentWhileHeld: (await countArrived(witness)) - (isBeside ? POSTS : arrived),
  };
  if (isBeside) return { ...held, sentTwice: await countTwice(witness), lost: 0 };
  const others = pick(random, ['send', 'unknown'] as const);
  await release(environment.DATA_DIR, others);
  const expected = others === 'send' ? POSTS : arrived;
  await waitFor(witness, expected);
  await sleep(BEATS_MS);
  const lost = expected - (await countArrived(witness));
  return { ...held, sentTwice: await countTwice(witness), lost };
}

async function sendCampaigns({ url }: Service): Promise<void> {
  const { token } = await signUpSender(url, 'alice');
  for (let index = 0; index < GROUPS; index++)
    await post(url, 'venom/create-group', { group_name: `G ${index}`, participants: [] }, token);
  const { body } = await post(url, 'venom/list-groups', {}, token);
  const { groups } = body.data as unknown as { groups: Array<{ group_metadata_id: number }> };
  const group_metadata_ids = groups.map((group) => group.group_metadata_id);
  for (let index = 0; index < CAMPAIGNS; index++)
    await post(url, 'venom/add-campaign', { name: `${index}`, html: `${index}`, group_metadata_ids }, token);
}

async function release(dataDir: string, others: 'send' | 'unknown'): Promise<void> {
  const address = await findRunning(dataDir);
  if (!address) throw new Error('the restored service does not run');
  const db = connectDatabase(address, { log: createLog('silent') });
  await resumeLedger(db, { choices: new Map(), others }, () => Promise.resolve());
  await db.destroy();
}

/** Throws when so many posts do not arrive in half a minute. */
async function waitFor(witness: Witness, least: number): Promise<void> {
  await until(
    () => countArrived(witness),
    (arrived) => arrived >= least,
  );
}

async function countArrived(witness: Witness): Promise<number> {
  return (await witness.entries()).filter(({ verdict }) => verdict === 'accepted').length;
}

async function countTwice(witness: Witness): Promise<number> {
  const entries = await witness.entries();
  const ids = Map.groupBy(entries, ({ text, chatId }) => `${text} ${chatId}`);
  const secondIds = [...ids.values()].filter(
    (posts) => new Set(posts.map(({ messageId }) => messageId)).size > 1,
  ).length;
  return secondIds + entries.filter(({ verdict, uncertain }) => verdict === 'copy' && !uncertain).length;
}
