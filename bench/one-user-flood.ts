/**
 * Fairness: what one signed-in user with many requests in flight costs another user. Campaigns, sign-ins and deliveries of the other
 * user are compared with idle moments of the same run.
 */
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { Database } from '../src/platform/database/connect.ts';
import { sleep } from '../src/platform/time/time.ts';
import { removeService, startService } from '../test/support/service/service.ts';
import { call, signUp, type Client } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import type { Flood } from './support/flood.ts';
import { median, type Row } from './support/table.ts';

const REACH_RATE = 0.5;
const REACH_P50 = { times: 2, moreMs: 20 };
const GROUPS = 2_000;
const TRIES = 10;
const PATIENCE_MS = 30_000;
const POLL_MS = 10;
const PASSWORD = 'correct horse battery';

export async function benchOneUserFlood({ quick }: { quick: boolean }): Promise<Row[]> {
  const seconds = quick ? 4 : 10;
  await using undo = new AsyncDisposableStack();
  const cluster = await startCluster();
  undo.defer(cluster.stop);
  return await cluster.withDatabase(async ({ url, db }) => {
    await using started = new AsyncDisposableStack();
    const service = await startService({ environment: { SANDBOX_SPEED: '0', DATABASE_URL: url } });
    started.defer(() => removeService(service));
    started.defer(async () => void (await service.stop()));
    const other = await signUp(service.url, 'other');
    const groupIds = await addGroups(db, other);
    const floods = await prepareFloods(await signUp(service.url, 'flooder'));
    await feel(other, groupIds, seconds);
    const rows: Row[] = [];
    for (const flood of floods) rows.push(...(await beside(flood, { other, groupIds, seconds })));
    return rows;
  });
}

async function prepareFloods({ url, token, call }: Client): Promise<Flood[]> {
  const { groups } = await call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const list = { name: 'All', group_metadata_ids: groups.map((group) => group.group_metadata_id) };
  for (let n = 1; n <= 50; n++) await call('venom/add-campaign', { ...list, name: `Campaign ${n}`, html: 'Hello' });
  const saved = await call<object>('venom/save-group-list', list);
  const flood = (operation: string, body: object, inFlight: number) => ({ url, token, operation, body, inFlight });
  return [
    flood('venom/update-account', { daily_cap: 'none' }, 120),
    flood('venom/list-campaigns', {}, 120),
    flood('venom/save-group-list', { ...list, ...saved }, 60),
  ];
}

async function addGroups(db: Database, { name, call }: Client): Promise<number[]> {
  // The sandbox has its groups read at first.
  await call('venom/list-groups');
  const { rows } = await sql<{ group_id: number }>`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select distinct on (n) g.workspace_id, n || '@flood', g.send_to, 'group', 'Group ' || n, 3, true
    from groups g join accounts a using (workspace_id) join memberships m using (workspace_id) join users u using (user_id),
         generate_series(1, ${GROUPS}::int) n
    where u.user_name = ${name} and g.kind = 'group' returning group_id`.execute(db);
  return rows.map((row) => row.group_id);
}

/** What the other user gets done in so many seconds, and how many of `TRIES` small requests are answered. */
interface Felt {
  campaignsPerS: number;
  /** Of accepting a campaign. */
  p50Ms: number;
  deliveriesPerS: number;
  profiles: number;
  signIns: number;
  isReady: boolean;
}

async function feel(other: Client, groupIds: readonly number[], seconds: number): Promise<Felt> {
  const accepted: number[] = [];
  let sent = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1_000) {
    const askedAt = performance.now();
    const campaignId = await addCampaign(other, groupIds.slice(0, 3)).catch(() => undefined);
    // What is refused has taken for ever; a client comes back after a pause.
    accepted.push(campaignId === undefined ? Infinity : performance.now() - askedAt);
    if (campaignId !== undefined && (await hasEnded(other, campaignId))) sent += 1;
    else await sleep(POLL_MS);
  }
  const campaignsPerS = sent / ((performance.now() - startedAt) / 1_000);
  const profiles = await countAnswers(() => other.call('user/get_profile'));
  const signIns = await countAnswers(() =>
    call(other.url, 'user/authorize_user', { user_name: other.name, password: PASSWORD }),
  );
  const isReady = (await fetch(`${other.url}/health/ready`)).ok;
  return {
    campaignsPerS,
    p50Ms: median(accepted),
    deliveriesPerS: await sendToAll(other, groupIds),
    profiles,
    signIns,
    isReady,
  };
}

async function addCampaign({ call }: Client, groupIds: readonly number[]): Promise<string> {
  const body = { name: 'Hello', html: 'Hello', group_metadata_ids: groupIds };
  return (await call<{ campaign_id: string }>('venom/add-campaign', body)).campaign_id;
}

async function hasEnded({ call }: Client, campaign_id: string): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const answer = await call<{ status: string }>('venom/get-campaign', { campaign_id }).catch(() => undefined);
    if (answer?.status.startsWith('completed')) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Deliveries a second of one campaign to all groups, from when it was accepted. */
async function sendToAll(other: Client, groupIds: readonly number[]): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const campaignId = await addCampaign(other, groupIds).catch(() => sleep(POLL_MS));
    if (campaignId === undefined) continue;
    const acceptedAt = performance.now();
    if (await hasEnded(other, campaignId)) return groupIds.length / ((performance.now() - acceptedAt) / 1_000);
  }
  return 0;
}

async function countAnswers(ask: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  for (let n = 0; n < TRIES; n++) {
    await ask().then(
      () => (answered += 1),
      () => undefined,
    );
  }
  return answered;
}

async function beside(
  flood: Flood,
  { other, groupIds, seconds }: { other: Client; groupIds: readonly number[]; seconds: number },
): Promise<Row[]> {
  const before = await feel(other, groupIds, seconds);
  const thread = new Worker(new URL('support/flood.ts', import.meta.url), { workerData: flood });
  await sleep(2_000);
  const felt = await feel(other, groupIds, seconds);
  await thread.terminate();
  await sleep(2_000);
  const after = await feel(other, groupIds, seconds);
  const idle = {
    campaignsPerS: (before.campaignsPerS + after.campaignsPerS) / 2,
    p50Ms: (before.p50Ms + after.p50Ms) / 2,
    deliveriesPerS: (before.deliveriesPerS + after.deliveriesPerS) / 2,
  };
  const rows = compare(`beside ${flood.inFlight} ${flood.operation.split('/')[1] ?? ''} of one user`, felt, idle);
  for (const { what, ours, yardstick } of rows) console.log(`  ${what}: ${ours}; ${yardstick}`);
  return rows;
}

function compare(beside: string, felt: Felt, idle: Pick<Felt, 'campaignsPerS' | 'p50Ms' | 'deliveriesPerS'>): Row[] {
  const rate = felt.campaignsPerS / idle.campaignsPerS;
  const mostMs = REACH_P50.times * idle.p50Ms + REACH_P50.moreMs;
  const pace = felt.deliveriesPerS / idle.deliveriesPerS;
  const { profiles, signIns, isReady } = felt;
  return [
    {
      what: `campaigns of another user ${beside}`,
      ours: `${felt.campaignsPerS.toFixed(1)}/s, accepted in ${felt.p50Ms.toFixed(0)} ms`,
      yardstick: `idle ${idle.campaignsPerS.toFixed(1)}/s, ${idle.p50Ms.toFixed(0)} ms`,
      ratio: rate,
      reach: `≥ ${REACH_RATE}, p50 ≤ ${REACH_P50.times} × idle + ${REACH_P50.moreMs} ms`,
      reached: rate >= REACH_RATE && felt.p50Ms <= mostMs,
    },
    {
      what: `small requests of another user ${beside}`,
      ours: `get_profile ${profiles} of ${TRIES}, sign-in ${signIns} of ${TRIES}, ${isReady ? 'ready' : 'NOT READY'}`,
      yardstick: 'all',
      reach: 'all answered, ready',
      reached: profiles === TRIES && signIns === TRIES && isReady,
    },
    {
      what: `deliveries ${beside}`,
      ours: `${felt.deliveriesPerS.toFixed(0)}/s`,
      yardstick: `idle ${idle.deliveriesPerS.toFixed(0)}/s`,
      ratio: pace,
      reach: `≥ ${REACH_RATE}`,
      reached: pace >= REACH_RATE,
    },
  ];
}
