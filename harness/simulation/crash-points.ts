/**
 * One campaign from its acceptance to its analytics, with exactly one fault at one statement: so that every place at which something
 * can break is tried, and none has to be drawn.
 */
import { addCampaign } from '../../src/sending/campaigns/accept/add-campaign.ts';
import { readGroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import { createReadingPermits } from '../../src/sending/analytics/reading-permits.ts';
import { convert } from '../../test/support/ledger.ts';
import type { Fault } from './line.ts';
import type { ServerAddress } from './server.ts';
import { conclude, openApi, type Simulated } from './end-world.ts';
import { isPossible, randomFate } from './fate.ts';
import { EVENINGS } from './simulate.ts';
import { readRemainingWork } from './remaining-work.ts';
import { current } from './virtual-time.ts';
import { KIND } from './witness.ts';
import { openWorld, type Fate, type World } from './world.ts';

export interface CrashPoint {
  workers: number;
  /** The statement that is harmed, and how; nothing is, without it. */
  harm?: { statement: number; fault: Fault } | undefined;
}

export interface CrashPointResult extends Simulated {
  /** The statements of the delivery: from the one after the owner was set up to the one that read the analytics. */
  first: number;
  last: number;
}

/** The order is the same in each of these worlds up to the fault, so that a number names the same statement. */
const SEED = 71;
const GROUPS = 3;
const GAP_MS = 300;
/** Longer than a lease lasts, and than a connection is waited for. */
const LATE_MS = 14_000;
/** After the fault all has to end within so many statements. */
const MOST_STATEMENTS = 6_000;

export async function tryCrashPoint(server: ServerAddress, { workers, harm }: CrashPoint): Promise<CrashPointResult> {
  const harmed: number[] = [];
  const fate: Fate = {
    ...randomFate({ seed: SEED, steps: 0 }, []),
    notificationDelay: () => 0.5,
    freezeMs: () => 0,
    fault(statement, number) {
      if (number !== harm?.statement || !isPossible(harm.fault, statement)) return null;
      harmed.push(number);
      return { fault: harm.fault, delayMs: LATE_MS };
    },
  };
  const world = await openWorld(server, { seed: SEED, fate, startMs: EVENINGS[0], gapMs: GAP_MS, owners: [GROUPS] });
  try {
    world.witness.chances = KIND;
    const first = world.statements() + 1;
    world.history.add({ kind: 'world', format: 3, seed: SEED, steps: harm?.statement ?? 0, workers, gapMs: GAP_MS });
    for (let number = 1; number <= workers; number++) world.startWorker(`worker ${number}`);
    const campaign = await accept(world);
    await end(world);
    if (campaign !== undefined) await readAnalytics(world, campaign);
    const last = world.statements();
    world.heal();
    return { ...(await conclude(world, harmed)), first, last };
  } finally {
    await world.close();
  }
}

/** Resolves to the campaign, or to nothing where whoever asked was not told. */
async function accept(world: World): Promise<string | undefined> {
  const [owner] = world.owners;
  if (!owner) throw new Error('nobody is there to send');
  const api = openApi(world);
  const { accountId, groupIds } = owner;
  const post = {
    name: 'campaign 1',
    description: '',
    html: 'campaign 1',
    image: null,
    isChannelCampaign: false,
    groupIds,
  };
  const about = { operation: 'send', accountId, text: 'campaign 1', groupIds };
  world.history.add({ kind: 'request', request: 1, process: 'api', ...about });
  let answer: { campaign: string | null; error: string | null } | undefined;
  current.run(api.process, () => {
    addCampaign({ db: api.db, convert }, owner, { ...post, scheduleTime: null }).then(
      ({ campaignId }) => (answer = { campaign: campaignId, error: null }),
      (error: unknown) => (answer = { campaign: null, error: String(error) }),
    );
  });
  await world.until(() => answer !== undefined || api.process.isDead, MOST_STATEMENTS);
  if (answer) world.history.add({ kind: 'answer', request: 1, ...answer });
  return answer?.campaign ?? undefined;
}

/** Steps until no work is left. The checker reports work that has not ended by then. */
async function end(world: World): Promise<void> {
  const most = world.statements() + MOST_STATEMENTS;
  while (world.statements() < most) {
    await world.until(() => false, 10);
    const { running, next_ms: nextMs } = await readRemainingWork(world);
    if (running === 0 && nextMs === null && world.witness.untold() === 0) return;
  }
}

const isRead = (outcome: string | undefined) => outcome === 'read';

/** Reads the analytics, and retries after a failure, in a process of its own each time: one that died keeps its permit. */
async function readAnalytics(world: World, campaign: string): Promise<void> {
  const { workspaceId } = world.owners[0] ?? {};
  for (let tries = 1; tries <= 4; tries++) {
    const api = openApi(world);
    let outcome: 'read' | 'failed' | undefined;
    current.run(api.process, () => {
      readGroupAnalytics(
        { db: api.db, permits: createReadingPermits() },
        { userId: 0 as never, workspaceId, role: 'owner', address: '192.0.2.1' } as never,
        campaign,
      ).then(
        () => (outcome = 'read'),
        () => (outcome = 'failed'),
      );
    });
    await world.until(() => outcome !== undefined || api.process.isDead, MOST_STATEMENTS);
    if (isRead(outcome)) return;
  }
  throw new Error('the analytics could not be read');
}
