/** One seed in which each workspace has two accounts, of which one is banned in mid-campaign. */
import { seededRandom } from '../test/support/inputs/random.ts';
import { banInMidCampaign } from './downtimes.ts';
import { CALM_STATEMENTS, conclude, finish, openApi, type Simulated } from './end-world.ts';
import { randomFate, type Asked } from './fate.ts';
import type { ServerAddress } from './server.ts';
import { drawFurther } from './several-accounts.ts';
import { time } from './virtual-time.ts';
import { KIND } from './witness.ts';
import { openWorkload } from './workload.ts';
import { openWorld } from './world.ts';

const CAMPAIGNS = 5;
const GROUPS = [8, 6] as const;
const HOUR_MS = 3_600_000;
/** At most. */
const BETWEEN_REQUESTS_MS = 3_000;

/**
 * A world in which each workspace has two accounts, of which one is banned in mid-campaign. The faults begin with the first post. The machine
 * sleeps after a ban, so that stand-ins take over while there are faults.
 */
export async function simulateBan(
  server: ServerAddress,
  asked: Asked,
  { gapMs, workers, startMs, isLeftAlone }: { gapMs: number; workers: number; startMs: number; isLeftAlone: boolean },
): Promise<Simulated> {
  const { seed, steps } = asked;
  const harmed: number[] = [];
  const random = seededRandom(seed ^ 0xba5);
  const further = GROUPS.map(() => ({ ...drawFurther(random), isMemberOfAll: true }));
  const fate = randomFate(asked, harmed);
  let hasBegun = false;
  const world = await openWorld(server, {
    seed,
    fate: { ...fate, fault: (statement, number) => (hasBegun ? fate.fault(statement, number) : null) },
    startMs,
    gapMs,
    owners: GROUPS,
    further,
  });
  try {
    world.history.add({ kind: 'world', format: 3, seed, steps, workers, gapMs });
    const workload = openWorkload(seed, {
      owners: world.owners,
      history: world.history,
      dates: [new Date(startMs).toISOString().slice(0, 10)],
    });
    let api = openApi(world, 'api 1');
    for (let number = 1; number <= workers; number++) world.startWorker(`worker ${number}`);
    // Some owners hand over at once, while the turn is in hand.
    banInMidCampaign(world, seed, (ownerId, accountId) => {
      if (random() < 0.5) workload.handOver(api, [{ ownerId, accountId }]);
    });
    let campaigns = 0;
    let last = Infinity;
    let sleptAfter = 0;
    const ask = () => {
      if (world.statements() >= last) return;
      if (api.process.isDead) api = openApi(world, api.process.name);
      if (campaigns < CAMPAIGNS && workload.open() < 3) {
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
      sleeps: { mostMs: 12 * HOUR_MS, factor: 4 },
    });
    return await conclude(world, harmed);
  } finally {
    await world.close();
  }
}
