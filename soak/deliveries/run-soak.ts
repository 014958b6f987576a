import { connectDatabase, type PostgresAddress } from '../../src/platform/database/connect.ts';
import { DELIVERIES_PER_TURN } from '../../src/sending/deliveries/send-loop.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { seededRandom, type Span } from '../../test/support/inputs/random.ts';
import { comparePosts, type Faults, type Verdicts } from '../../test/witness/compare-posts.ts';
import type { Behaviour } from '../../test/witness/protocol.ts';
import { askAnyOf, type Ask } from './ask.ts';
import { sendContinuously, waitUntilEnded, type Sent } from './campaigns.ts';
import { compareAnalytics, comparePolls } from './compare.ts';
import { injectFaults, type Survived } from './faults.ts';
import { startFleet, type Fleet, type Units } from './fleet.ts';
import { GAP } from './gap.ts';
import { connectSecond, loseSeconds } from './second-account.ts';
import { createSender, type Sender, type SenderPlan } from './senders.ts';

export interface SoakOptions {
  seed: number;
  /** How long harm is done, at least; ... */
  ms: number;
  /** ... and until so many campaigns were accepted, and so many faults begun. */
  least?: { campaigns: number; faults: number; handedOver?: number };
  senders: readonly SenderPlan[];
  /** Between two faults. */
  pause: Span;
  /** Only faults that are over soon, for a short run. */
  brief?: boolean;
  /** Only the fault of this name; all by default. */
  only?: string;
  /** What the witness does while harm is done. */
  behaviour: Behaviour;
  /** PostgreSQL settings besides those of a test. */
  settings?: Record<string, string>;
  say?: (what: string) => void;
}

export interface SoakFindings {
  campaigns: number;
  verdicts: Verdicts;
  survived: Survived;
  /** Deliveries that went to the other account of their workspace. */
  handedOver: number;
  failedStarts: number;
  /** All that must be zero. */
  faults: Faults & {
    'counted wrong': number;
    'answers no fault excuses': number;
    'processes ended by themselves': number;
    'stops that were not clean': number;
  };
  /** What is behind some of them, in words. */
  details: string[];
}

const POLL_MS = 100;

/**
 * Starts two APIs, three workers, a database and a witness. Users send while faults hit every process but the witness. Then compares the
 * witness's log with the accepted requests and the analytics. The seed determines the faults and the messages; the exact moment of a fault
 * depends on the machine.
 */
export async function runSoak(options: SoakOptions): Promise<SoakFindings> {
  const { seed, behaviour, settings = {}, say = () => undefined } = options;
  const fleet = await startFleet({ seed, gap: `${GAP.minMs}-${GAP.maxMs}`, settings });
  const unexcused: string[] = [];
  const ask = askAnyOf(fleet.urls, seededRandom(seed + 1), (what) => unexcused.push(what));
  let stopped = false;
  try {
    const senders = await createSenders(fleet, fleet.postgres.address(), options.senders, ask);
    await fleet.witness.behave(behaviour);
    say(
      `${senders.length} senders, ${senders.reduce((sum, { groups }) => sum + groups.length, 0)} groups; harm begins`,
    );
    const { sent, survived, handedOver } = await sendUnderFire(fleet, senders, ask, options);
    say(`harm ends; ${sent.length} campaigns were accepted`);
    const asked = { fleet, senders, sent, ask, unexcused, say };
    const found = await conclude(asked);
    stopped = true;
    return { ...found, survived, handedOver };
  } finally {
    if (!stopped) {
      for (const unit of fleet.units) unit.service().wake();
      await fleet.stop();
    }
  }
}

/** What was asked of a fleet to which no harm is done any more. */
export interface Asked {
  fleet: Units;
  senders: readonly Sender[];
  sent: readonly Sent[];
  ask: Ask;
  /** Answers that no fault excuses. */
  unexcused: readonly string[];
  say: (what: string) => void;
}

/** Waits until all campaigns have ended, stops the fleet, and compares the witness's log with the accepted requests and the analytics. */
export async function conclude(asked: Asked): Promise<Omit<SoakFindings, 'survived' | 'handedOver'>> {
  const { fleet, senders, sent, ask, unexcused, say } = asked;
  await fleet.witness.behave({ receiptMs: 0 });
  for (const sender of senders) await connectSecond(sender, ask);
  await waitUntilEnded(sent, ask);
  while (!(await fleet.witness.hasToldAll())) await sleep(100);
  say('all have ended');
  const entries = await fleet.witness.entries();
  const ledgers = new Map(
    senders.flatMap(({ second, accountId }) => (second === undefined ? [] : [[second, accountId] as const])),
  );
  const verdicts = comparePosts(entries, {
    runs: sent.map(({ run }) => run),
    ledgers,
    gapMs: new Map(senders.map(({ accountId, paced }) => [accountId, paced ? GAP.minMs : 0])),
    turnSize: (accountId) =>
      senders.find((sender) => sender.accountId === accountId)?.paced ? 1 : DELIVERIES_PER_TURN,
  });
  const differences = [
    ...(await compareAnalytics(sent, verdicts, ask)),
    ...(await comparePolls(sent, { entries, ledgers }, ask)),
  ];
  const { uncleanStops } = await fleet.stop();
  return {
    campaigns: sent.length,
    verdicts,
    failedStarts: fleet.failedStarts(),
    faults: {
      ...verdicts.faults,
      'counted wrong': differences.length,
      'answers no fault excuses': unexcused.length,
      'processes ended by themselves': fleet.unaskedEnds.length,
      'stops that were not clean': uncleanStops,
    },
    details: [...verdicts.details, ...differences, ...unexcused, ...fleet.unaskedEnds],
  };
}

/** Signs the senders up at one of the fleet's APIs. `address` is the fleet's database. */
export async function createSenders(
  fleet: Units,
  address: PostgresAddress,
  plans: readonly SenderPlan[],
  ask: Ask,
): Promise<Sender[]> {
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  const [url = ''] = fleet.urls();
  try {
    return await Promise.all(plans.map((plan) => createSender(url, db, plan, ask)));
  } finally {
    await db.destroy();
  }
}

async function sendUnderFire(
  fleet: Fleet,
  senders: readonly Sender[],
  ask: Ask,
  { seed, ms, pause, brief = false, only, behaviour, least = { campaigns: 0, faults: 0 } }: SoakOptions,
): Promise<{ sent: Sent[]; survived: Survived; handedOver: number }> {
  const sent: Sent[] = [];
  const stop = new AbortController();
  const sending = senders.map((sender, index) =>
    sendContinuously(
      sender,
      { ask, clock: fleet.clock, random: seededRandom(seed + 2 + index), stop: stop.signal },
      sent,
    ),
  );
  let faults = 0;
  const onFault = () => (faults += 1);
  const harming = injectFaults(fleet, { random: seededRandom(seed), pause, brief, only, onFault, stop: stop.signal });
  const work = Promise.all([harming, ...sending]);
  let handedOver = 0;
  const onHandedOver = (deliveries: number) => (handedOver += deliveries);
  let losing: Promise<void> | undefined;
  const enough = async () => {
    await sleep(ms / 2);
    losing = loseSeconds({ fleet, senders, ask, behaviour, onHandedOver, stop: stop.signal });
    await sleep(ms / 2);
    const lacks = () => sent.length < least.campaigns || faults < least.faults || handedOver < (least.handedOver ?? 0);
    while (!stop.signal.aborted && lacks()) await sleep(POLL_MS);
  };
  try {
    await Promise.race([work, enough()]);
  } finally {
    stop.abort();
  }
  await work;
  await losing;
  return { sent, survived: await harming, handedOver };
}
