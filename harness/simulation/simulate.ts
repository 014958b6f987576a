/** One seed: a world with faults for so many statements and without them afterwards, and the check of its history. */
import { pick, seededRandom } from '../../test/support/inputs/random.ts';
import { banInMidCampaign, disturbAccounts, sleepInMidCampaign } from './downtimes.ts';
import { conclude, finish, openApi, type Simulated } from './end-world.ts';
import { randomFate, type Asked } from './fate.ts';
import { KIND_RECEIVER } from './receiver.ts';
import { createFencingRecords, resumePeriodically } from './restore-ledger.ts';
import type { ServerAddress } from './server.ts';
import { accountsOf } from './owners.ts';
import { drawFurther } from './several-accounts.ts';
import { time } from './virtual-time.ts';
import { KIND } from './witness.ts';
import { openWorkload, type Api } from './workload.ts';
import { openWorld } from './world.ts';

/** Of the worlds, how many are left alone with one whole worker in the end instead of healed, and in how many the ledger is put back. */
const LEFT_ALONE_CHANCE = 0.4;
const PUT_BACK_CHANCE = 0.2;
/** Of the worlds: in how many one owner has a webhook, both have one, and the first has more groups than a new number may post to a day. */
const WEBHOOK_CHANCE = 0.35;
const BOTH_WEBHOOKS_CHANCE = 0.3;
const WARM_UP_CHANCE = 0.12;
const MANY_GROUPS = 33;
/** Of the worlds, in how many an account of each workspace with several is banned in mid-campaign, while its turn is in hand. */
const BANNED_CHANCE = 0.5;
/** Of the worlds, in how many the machine sleeps for more than a day in mid-campaign. */
const ASLEEP_CHANCE = 0.2;
/** Of these bans: after how many the owner hands over at once, and after how many stand-ins have time to take over before all harm ends. */
const HANDED_OVER_CHANCE = 0.5;
const SLEPT_AFTER_BAN_CHANCE = 0.5;
const TAKING_OVER_MS = 130_000;
/** At each request: how often there is one about accounts, and how often something befalls an account. */
const ABOUT_ACCOUNTS_CHANCE = 0.12;
const DOWNTIME_CHANCE = 0.08;
const RECONNECTED_CHANCE = 0.5;
/** Days that pass in the end: ended runs are added up after one, and receipts no longer counted after ninety. */
const LAST_DAYS = [1, 1, 8, 100];
/** Evenings before clocks change in Berlin. */
export const EVENINGS = [Date.UTC(2026, 2, 28, 21), Date.UTC(2026, 9, 24, 21)] as const;
const HOUR_MS = 3_600_000;
/** At most. */
const BETWEEN_REQUESTS_MS = 3_000;
const MAX_COOLDOWN_MS = 3 * HOUR_MS;

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
  // Multiplied, since the first draws of neighbouring seeds are alike.
  const accounts = seededRandom(Math.imul(asked.seed, 0x9e3779b1) ^ 0xacc1);
  const further = [drawFurther(accounts), drawFurther(accounts)];
  const asleep = seededRandom(Math.imul(asked.seed, 0x9e3779b1) ^ 0x51ee9);
  const isBanned = accounts() < BANNED_CHANCE;
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
    let sleepsMs = 0;
    const ask = () => {
      if (world.statements() >= steps) return;
      if (sleepsMs > 0) world.sleepUntil(time.nowMs() + sleepsMs);
      sleepsMs = 0;
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
    if (isBanned)
      banInMidCampaign(world, asked.seed, (ownerId, accountId) => {
        if (accounts() < HANDED_OVER_CHANCE && !apis[0].process.isDead)
          workload.handOver(apis[0], [{ ownerId, accountId }]);
        if (accounts() < SLEPT_AFTER_BAN_CHANCE) sleepsMs = TAKING_OVER_MS * (0.5 + accounts() / 2);
      });
    if (asleep() < ASLEEP_CHANCE) sleepInMidCampaign(world, asleep);
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
      for (const accountId of accountsOf(owner)) {
        const standing = world.witness.standings.of(accountId);
        // Its end is told before the events are compared.
        if (standing === 'paused') world.witness.standings.change(accountId, 'linked');
        if (standing === 'logged out' && accounts() < RECONNECTED_CHANCE) workload.connect(api, owner, accountId);
      }
    await finish(world, {
      resume: (paused) => workload.resume(api, paused),
      handOver: (waiting) => workload.handOver(api, waiting),
      open: () => workload.open(),
      lastDays,
      sleeps: { mostMs: MAX_COOLDOWN_MS, factor: 2 },
    });
    return await conclude(world, harmed);
  } finally {
    await world.close();
  }
}
