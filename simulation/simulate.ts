/** One seed: a world with faults for so many statements and without them afterwards, and the check of its history. */
import { sql } from 'kysely';
import { awaitCommandResults } from '../src/sending/accounts/commands.ts';
import type { Database } from '../src/platform/database/connect.ts';
import { AppError } from '../src/platform/errors/errors.ts';
import { readOverview, type Overview } from '../src/sending/analytics/read-overview.ts';
import { readGroupAnalytics } from '../src/sending/analytics/group-analytics.ts';
import { readActivity } from '../src/sending/groups/read-activity.ts';
import { activeSince } from '../src/sending/groups/update-activity.ts';
import { pick, seededRandom } from '../test/support/inputs/random.ts';
import { isBegin, isReading, type Statement } from './gate.ts';
import { findCalm } from './calm-time.ts';
import { checkHistory } from './check-history.ts';
import { FAULTS, type Fault, type FinalActivity, type Line } from './line.ts';
import { readRemainingWork, type RemainingWork } from './remaining-work.ts';
import { watchProgress } from './watch-progress.ts';
import { readEvents } from './read-events.ts';
import { readFinal } from './read-final.ts';
import { KIND_RECEIVER } from './receiver.ts';
import { banInMidCampaign, disturbAccounts } from './downtimes.ts';
import { drawFurther, type FurtherPlan } from './several-accounts.ts';
import { createFencingRecords, resumePeriodically } from './restore-ledger.ts';
import type { ServerAddress } from './server.ts';
import { totalMs } from './spans.ts';
import { openProcess, time } from './virtual-time.ts';
import { KIND } from './witness.ts';
import { openWorkload, type Api } from './workload.ts';
import { openWorld, type Fate, type World } from './world.ts';

export interface Asked {
  seed: number;
  /** Statements until all harm ends. */
  steps: number;
  /** Each workspace has two accounts, of which one is banned in mid-campaign. Default is `false`. */
  isBanned?: boolean | undefined;
  /** Only the faults at these statements; all unless given. */
  only?: readonly number[] | undefined;
}

export interface Simulated {
  hash: string;
  lines: Line[];
  /** What is wrong; nothing, if all is well. */
  faults: string[];
  /** The statements that had a fault. */
  harmed: number[];
  statements: number;
  /** Campaigns that were accepted, posts that arrived at the messaging application, and everything else that users asked for. */
  campaigns: number;
  posts: number;
  changes: number;
}

/** Some worlds have many faults. In others a fault has time to show its consequences. */
const FAULT_CHANCES = [0.002, 0.006, 0.02];
/** Of worlds in which an account is banned: their faults begin with the first post. */
const BANNED_FAULT_CHANCES = [0.01, 0.03];
const BANNED_CAMPAIGNS = 5;
const BANNED_GROUPS = [8, 6] as const;
/** Where something is written more can go wrong. */
const WHERE_WRITTEN = 3;
const FREEZE_CHANCES = [0, 0.04, 0.12];
/** Longer than a lease lasts. */
const randomFreezeMs = (random: () => number) => 9_000 + random() * 8_000;
/** Of the worlds, how many are left alone with one whole worker in the end instead of healed, and in how many the ledger is put back. */
const LEFT_ALONE_CHANCE = 0.4;
const PUT_BACK_CHANCE = 0.2;
/** Of the worlds: in how many one owner has a webhook, both have one, and the first has more groups than a new number may post to a day. */
const WEBHOOK_CHANCE = 0.35;
const BOTH_WEBHOOKS_CHANCE = 0.3;
const WARM_UP_CHANCE = 0.12;
const MANY_GROUPS = 33;
/** Of the worlds, in how many a workspace has a second account, and of these in how many both have one. */
const SECOND_ACCOUNT_CHANCE = 0.3;
const BOTH_SECOND_CHANCE = 0.3;
/** At each request: how often there is one about accounts, and how often something befalls an account. */
const ABOUT_ACCOUNTS_CHANCE = 0.12;
const DOWNTIME_CHANCE = 0.08;
const RECONNECTED_CHANCE = 0.5;
/** Days that pass in the end: ended runs are added up after one, and receipts no longer counted after ninety. */
const LAST_DAYS = [1, 1, 8, 100];
/** After all harm everything has to end within so many statements: thirty posts at four a day take 13,000. */
const CALM_STATEMENTS = 24_000;
/** The checker requires that a calm world does within a shorter time what is due. A world that sleeps before proves nothing. */
const CALM_BEFORE_SLEEP_MS = 9_000;
/** Evenings before clocks change in Berlin. */
export const EVENINGS = [Date.UTC(2026, 2, 28, 21), Date.UTC(2026, 9, 24, 21)] as const;
const HOUR_MS = 3_600_000;
/** At most. */
const BETWEEN_REQUESTS_MS = 3_000;
const HAND_OVER_EVERY_MS = 60_000;
const MAX_COOLDOWN_MS = 3 * HOUR_MS;
/** Where nobody rests by the day. */
const LONG_COOLDOWN_MS = 12 * HOUR_MS;

/** How each statement fares is drawn from the seed and its number alone, so that leaving one fault out moves no other. */
export function randomFate({ seed, only, isBanned }: Asked, harmed: number[]): Fate {
  const order = seededRandom(seed ^ 0x04de4);
  const notifications = seededRandom(seed ^ 0x417);
  const freezes = seededRandom(seed ^ 0xf2ee);
  const freezeChance = pick(freezes, FREEZE_CHANCES);
  const faultChance = pick(freezes, isBanned ? BANNED_FAULT_CHANCES : FAULT_CHANCES);
  const kinds = FAULTS.filter(() => freezes() < 0.6);
  return {
    choose: (count) => Math.floor(order() * count),
    notificationDelay: notifications,
    freezeMs: () => (freezes() < freezeChance ? randomFreezeMs(freezes) : 0),
    statementMs: () => 0.1 + order() * 2,
    fault(statement, number) {
      const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
      const chance = isWriting(statement) ? WHERE_WRITTEN * faultChance : faultChance;
      if (random() >= chance || (only && !only.includes(number))) return null;
      const fault = kinds[Math.floor(random() * kinds.length)];
      if (!fault || !isPossible(fault, statement)) return null;
      harmed.push(number);
      return { fault, delayMs: fault === 'frozen' ? randomFreezeMs(random) : 200 + random() * 14_000 };
    },
  };
}

const isWriting = ({ text }: Statement) => !isReading(text) && !isBegin(text);

/** PostgreSQL cannot cancel the end of a transaction, and cancelling its beginning is pointless. */
export function isPossible(fault: Fault, { text }: Statement): boolean {
  return fault !== 'cancelled' || !/^(begin|start transaction|commit|rollback|savepoint|release)/.test(text);
}

/** Draws which owners have a second account. */
function drawSeconds(random: () => number): Array<FurtherPlan | undefined> {
  if (random() >= SECOND_ACCOUNT_CHANCE) return [];
  const [first, other] = [drawFurther(random), drawFurther(random)];
  return random() < BOTH_SECOND_CHANCE ? [first, other] : [first];
}

export async function simulate(server: ServerAddress, asked: Asked): Promise<Simulated> {
  const harmed: number[] = [];
  const random = seededRandom(asked.seed ^ 0x0a11);
  const gapMs = random() < 0.5 ? 0 : 300;
  const workers = pick(random, [1, 2, 2, 3, 3]);
  const startMs = EVENINGS[random() < 0.5 ? 0 : 1];
  const isLeftAlone = random() < LEFT_ALONE_CHANCE;
  const isPutBack = random() < PUT_BACK_CHANCE;
  const lastDays = pick(random, LAST_DAYS);
  const webhooks = random() < WEBHOOK_CHANCE ? (random() < BOTH_WEBHOOKS_CHANCE ? 2 : 1) : 0;
  const isWarmUp = random() < WARM_UP_CHANCE;
  if (asked.isBanned) return simulateBan(server, asked, { gapMs, workers, startMs, isLeftAlone });
  const accounts = seededRandom(asked.seed ^ 0xacc1);
  const further = drawSeconds(accounts);
  // Marks of the ledger, and the messages of webhooks, are most of what happens where there are any.
  const steps = asked.steps * (isPutBack || webhooks > 0 ? 2 : 1);
  const world = await openWorld(server, {
    seed: asked.seed,
    fate: randomFate(asked, harmed),
    startMs,
    gapMs,
    owners: [isWarmUp ? MANY_GROUPS : 4, 6],
    webhooks,
    further,
    marks: isPutBack ? createFencingRecords() : undefined,
  });
  try {
    world.history.add({ kind: 'world', format: 3, seed: asked.seed, steps: asked.steps, workers, gapMs });
    const dates = [1, 2, 3].map((day) => new Date(startMs + day * 24 * HOUR_MS).toISOString().slice(0, 10));
    const workload = openWorkload(asked.seed, { owners: world.owners, history: world.history, dates });
    const apis: [Api, Api] = [openApi(world, 'api 1'), openApi(world, 'api 2')];
    for (let number = 1; number <= workers; number++) world.startWorker(`worker ${number}`);
    const ask = () => {
      if (world.statements() >= steps) return;
      apis.forEach((api, index) => {
        if (api.process.isDead) apis[index] = openApi(world, api.process.name);
      });
      if (workload.open() < 3) workload.ask(random() < 0.5 ? apis : [apis[1], apis[0]]);
      time.at(time.nowMs() + random() * BETWEEN_REQUESTS_MS, ask);
      if (further.some(Boolean) && accounts() < ABOUT_ACCOUNTS_CHANCE) workload.askAboutAccounts(apis[0]);
      if (further.some(Boolean) && accounts() < DOWNTIME_CHANCE) disturbAccounts(world, accounts);
      if (random() < 0.06) world.witness.chats.changeMembership();
      if (random() < 0.02) world.setClock(random(), (random() - 0.5) * 2 * HOUR_MS);
      if (random() < 0.02) world.sleepUntil(time.nowMs() + random() * 5 * HOUR_MS);
    };
    if (isWarmUp) workload.warmUp(apis[0]);
    ask();
    const upTo = (part: number) => world.until(() => world.statements() >= steps * part, steps);
    if (isPutBack) {
      resumePeriodically(world, seededRandom(asked.seed ^ 0x7e1ea5e));
      await upTo(0.2 + random() * 0.3);
      await world.copy();
      await upTo(0.6 + random() * 0.4);
      await world.putBack();
    }
    await upTo(1);
    if (isLeftAlone) await world.leaveAlone(random);
    else world.heal();
    world.witness.chances = KIND;
    world.receiver.chances = KIND_RECEIVER;
    const api = openApi(world, 'api 1');
    // Who is alone and is told nothing has to look.
    if (isLeftAlone) workload.add([api, api]);
    for (const owner of world.owners)
      for (const accountId of [owner.accountId, owner.second ?? owner.accountId])
        if (world.witness.standings.of(accountId) === 'logged out' && accounts() < RECONNECTED_CHANCE)
          workload.connect(api, owner, accountId);
    await finish(world, {
      resume: (paused) => workload.resume(api, paused),
      handOver: (waiting) => workload.handOver(api, waiting),
      open: () => workload.open(),
      lastDays,
      maxCooldownMs: MAX_COOLDOWN_MS,
    });
    return await conclude(world, harmed);
  } finally {
    await world.close();
  }
}

/**
 * A world in which each workspace has two accounts, of which one is banned in mid-campaign. The faults begin with the first post. The machine
 * sleeps after a ban, so that stand-ins take over while there are faults.
 */
async function simulateBan(
  server: ServerAddress,
  asked: Asked,
  { gapMs, workers, startMs, isLeftAlone }: { gapMs: number; workers: number; startMs: number; isLeftAlone: boolean },
): Promise<Simulated> {
  const { seed, steps } = asked;
  const harmed: number[] = [];
  const random = seededRandom(seed ^ 0xba5);
  const further = BANNED_GROUPS.map(() => ({ ...drawFurther(random), isMemberOfAll: true }));
  const fate = randomFate(asked, harmed);
  let hasBegun = false;
  const world = await openWorld(server, {
    seed,
    fate: { ...fate, fault: (statement, number) => (hasBegun ? fate.fault(statement, number) : null) },
    startMs,
    gapMs,
    owners: BANNED_GROUPS,
    further,
  });
  try {
    world.history.add({ kind: 'world', format: 3, seed, steps, workers, gapMs });
    const workload = openWorkload(seed, { owners: world.owners, history: world.history, dates: [] });
    let api = openApi(world, 'api 1');
    for (let number = 1; number <= workers; number++) world.startWorker(`worker ${number}`);
    // Some owners hand over at once, while the turn is in hand.
    banInMidCampaign(world, seed, (ledgerId, accountId) => {
      if (random() < 0.5) workload.handOver(api, [{ ledgerId, accountId }]);
    });
    let campaigns = 0;
    let last = Infinity;
    let sleptAfter = 0;
    const ask = () => {
      if (world.statements() >= last) return;
      if (api.process.isDead) api = openApi(world, api.process.name);
      if (campaigns < BANNED_CAMPAIGNS && workload.open() < 3) {
        campaigns += 1;
        workload.addPlain(api);
      }
      if (hasBegun && random() < 0.3) workload.askAboutAccounts(api);
      const bans = world.history.lines.filter(({ kind }) => kind === 'standing').length;
      if (bans > sleptAfter && random() < 0.5) {
        sleptAfter = bans;
        world.sleepUntil(time.nowMs() + 60_000 + random() * 70_000);
      }
      time.at(time.nowMs() + random() * BETWEEN_REQUESTS_MS, ask);
    };
    ask();
    const hasSent = () => world.history.lines.some(({ kind }) => kind === 'send');
    await world.until(hasSent, CALM_STATEMENTS);
    hasBegun = true;
    last = world.statements() + steps;
    await world.until(() => world.statements() >= last, steps);
    if (isLeftAlone) await world.leaveAlone(random);
    else world.heal();
    world.witness.chances = KIND;
    const calmApi = openApi(world, 'api 1');
    await finish(world, {
      resume: (paused) => workload.resume(calmApi, paused),
      handOver: (waiting) => workload.handOver(calmApi, waiting),
      open: () => workload.open(),
      lastDays: 1,
      maxCooldownMs: LONG_COOLDOWN_MS,
    });
    return await conclude(world, harmed);
  } finally {
    await world.close();
  }
}

export function openApi(world: World, name = 'api'): Api {
  const process = openProcess(name);
  return {
    process,
    db: world.gate.open(process),
    waiters: awaitCommandResults(world.openHints(process)),
    timeZone: 'UTC',
  };
}

/**
 * Leaves the world in peace until all that was accepted has ended, or nothing comes of anything any more; sleeps through what nobody
 * waits for.
 */
async function finish(
  world: World,
  {
    resume,
    handOver,
    open,
    lastDays,
    maxCooldownMs,
  }: {
    resume: (paused: RemainingWork['paused']) => void;
    handOver: (waiting: RemainingWork['waiting']) => void;
    open: () => number;
    lastDays: number;
    maxCooldownMs: number;
  },
): Promise<void> {
  const last = world.statements() + CALM_STATEMENTS;
  const isCalm = () => totalMs(findCalm(world.history.lines).slice(-1)) >= CALM_BEFORE_SLEEP_MS;
  while (!isCalm() && world.statements() < last) await world.until(() => false, 40);
  let awakeUntilMs = time.nowMs();
  const progress = watchProgress(world);
  let sends = 0;
  let handedOverMs = -Infinity;
  let cooldownMs = 0;
  for (let isRested = false; world.statements() < last;) {
    await world.until(() => time.nowMs() >= awakeUntilMs, last - world.statements());
    const standing = await readRemainingWork(world);
    const { next_ms: nextMs, due_ms: dueMs, erasing, paused, waiting } = standing;
    if (progress.isStuck(standing)) return;
    if (waiting.length > 0 && time.nowMs() >= handedOverMs + HAND_OVER_EVERY_MS) {
      handedOverMs = time.nowMs();
      handOver(waiting);
    }
    if (paused.length > 0) resume(paused);
    else if (open() === 0 && isOver(standing) && world.witness.untold() === 0) {
      if (erasing > 0) world.sleepUntil(time.nowMs() + HOUR_MS);
      // Days or months later what has ended is added up, and has to say the same.
      else if (isRested) break;
      else {
        isRested = true;
        world.history.add({ kind: 'events', events: await readEvents(world) });
        world.sleepUntil(time.nowMs() + lastDays * 24 * HOUR_MS + HOUR_MS);
      }
    } else if (nextMs !== null && nextMs > time.nowMs() + 20_000 && standing.in_hand === 0 && !standing.held) {
      // An account that rests looks again every few minutes, for most of a day: the longer nothing is sent, the longer we sleep.
      const soFar = world.history.lines.filter(({ kind }) => kind === 'send').length;
      cooldownMs = soFar === sends ? Math.min(Math.max(2 * cooldownMs, nextMs - time.nowMs()), maxCooldownMs) : 0;
      sends = soFar;
      world.sleepUntil(Math.max(nextMs - 50, Math.min(time.nowMs() + cooldownMs, (dueMs ?? Infinity) - 50)));
      if (dueMs !== null && time.nowMs() >= dueMs - 50) awakeUntilMs = dueMs + CALM_BEFORE_SLEEP_MS;
    }
    await world.until(() => false, 80);
  }
}

const isOver = ({ running, revising, in_hand: inHand, telling, next_ms: nextMs, held }: RemainingWork) =>
  running + revising + inHand + telling === 0 && nextMs === null && !held;

/** The whole life of a world. */
const OVERVIEW_DAYS = 30;

async function readOverviews(db: Database, { owners }: World): Promise<Map<number, Overview>> {
  const overviews = new Map<number, Overview>();
  for (const owner of owners)
    try {
      overviews.set(owner.accountId, await readOverview({ db, timeZone: 'UTC' }, owner, OVERVIEW_DAYS));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'user_gone')) throw error;
    }
  return overviews;
}

async function readActivities(db: Database, { owners }: World): Promise<FinalActivity[]> {
  const { rows } = await sql<{ sinceMs: number }>`
    select (extract(epoch from ${activeSince}) * 1000)::float8 as "sinceMs"`.execute(db);
  const sinceMs = rows[0]?.sinceMs ?? Number.NaN;
  const activities: FinalActivity[] = [];
  for (const { accountId, groupIds } of owners) {
    const activity = await readActivity(db, accountId, groupIds);
    const groups = [...activity].map(([groupId, { posts, failed, lastPostedAt }]) => ({
      groupId,
      posts,
      failed,
      lastMs: lastPostedAt?.getTime() ?? null,
    }));
    activities.push({ accountId, sinceMs, groups: groups.toSorted((one, other) => one.groupId - other.groupId) });
  }
  return activities;
}

export async function conclude(world: World, harmed: number[]): Promise<Simulated> {
  await world.stopWorkers();
  const reader = openProcess('reader');
  const db = world.gate.open(reader);
  const final = await world.perform(reader, () =>
    readFinal(db, {
      analytics: (workspaceId, campaign) =>
        readGroupAnalytics(
          { db },
          { userId: 0 as never, workspaceId, role: 'owner', address: '192.0.2.1' } as never,
          campaign,
        ),
      overviews: () => readOverviews(db, world),
      activities: () => readActivities(db, world),
    }),
  );
  world.history.add(final);
  const { lines } = world.history;
  return {
    hash: world.history.hash(),
    lines,
    faults: checkHistory(lines),
    harmed,
    statements: world.statements(),
    campaigns: final.campaigns.length,
    posts: lines.filter(({ kind }) => kind === 'send').length,
    changes: lines.filter((line) => line.kind === 'request' && !['send', 'schedule'].includes(line.operation)).length,
  };
}
