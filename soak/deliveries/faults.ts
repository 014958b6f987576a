import { sleep } from '../../src/platform/time/time.ts';
import { drawMs, seededRandom, type Span } from '../../test/support/inputs/random.ts';
import { DATABASE_FAULTS } from './database-faults.ts';
import type { Fleet, Unit } from './fleet.ts';

/** How often what was done. */
export type Survived = Map<string, number>;

export interface FaultOptions {
  random: () => number;
  /** Between the beginnings of two faults. */
  pause: Span;
  /** Only faults that are over soon. */
  brief: boolean;
  /** Only the fault of this name; all by default. */
  only?: string | undefined;
  stop: AbortSignal;
  /** Called when one begins. */
  onFault: () => void;
}

/** Ten seconds of lease, and some. */
const PAST_THE_LEASE: Span = { minMs: 11_000, maxMs: 14_000 };
const A_MOMENT: Span = { minMs: 200, maxMs: 4_000 };
const BEFORE_THE_NEXT: Span = { minMs: 0, maxMs: 2_000 };

/** What is done to a unit. Of a hundred faults so many are of that kind. */
interface UnitFault {
  name: string;
  share: number;
  /** Lasts longer than a lease. */
  isLong?: true;
  inflict(unit: Unit, random: () => number): Promise<void>;
}

const UNIT_FAULTS: readonly UnitFault[] = [
  {
    name: 'kill -9',
    share: 52,
    inflict: (unit, random) => unit.replace((service) => service.kill(), drawMs(random, BEFORE_THE_NEXT)),
  },
  {
    name: 'SIGTERM',
    share: 14,
    inflict: (unit, random) =>
      unit.replace(
        async (service) => {
          const code = await service.stop();
          if (code !== 0) throw new Error(`a stop ended with exit code ${code}: ${service.log().slice(-2_000)}`);
        },
        drawMs(random, BEFORE_THE_NEXT),
      ),
  },
  { name: 'frozen for a moment', share: 6, inflict: (unit, random) => freeze(unit, drawMs(random, A_MOMENT)) },
  {
    name: 'frozen past the lease',
    share: 7,
    isLong: true,
    inflict: (unit, random) => freeze(unit, drawMs(random, PAST_THE_LEASE)),
  },
  {
    name: 'network cut',
    share: 6,
    inflict: (unit, random) => disturb(unit, () => unit.network.cut(), drawMs(random, A_MOMENT)),
  },
  {
    name: 'network silent past the lease',
    share: 5,
    isLong: true,
    inflict: (unit, random) => disturb(unit, () => unit.network.stall(), drawMs(random, PAST_THE_LEASE)),
  },
  {
    name: 'network slow',
    share: 4,
    isLong: true,
    inflict: (unit, random) =>
      disturb(unit, () => unit.network.slow(5 + random() * 60), drawMs(random, PAST_THE_LEASE)),
  },
];

async function freeze(unit: Unit, ms: number): Promise<void> {
  const service = unit.service();
  service.freeze();
  await sleep(ms);
  service.wake();
}

async function disturb({ network }: Unit, harm: () => void, ms: number): Promise<void> {
  harm();
  await sleep(ms);
  network.heal();
}

/**
 * Does harm at moments and of kinds that the random numbers decide, until told to stop; resolves when all of it is over. Several
 * faults go on at once, but one a process.
 */
export async function injectFaults(
  fleet: Fleet,
  { random, pause, brief, only, stop, onFault }: FaultOptions,
): Promise<Survived> {
  const survived: Survived = new Map();
  const isWanted = ({ name, isLong }: { name: string; isLong?: true }) =>
    only === undefined ? !(brief && isLong) : name === only;
  const unitFaults = UNIT_FAULTS.filter(isWanted);
  const databaseFaults = DATABASE_FAULTS.filter(isWanted);
  const databaseShare = sumShares(databaseFaults);
  const shares = databaseShare + sumShares(unitFaults);
  const busy = new Set<Unit | 'database'>();
  const underWay = new Set<Promise<unknown>>();
  /** Of a fault that could not be inflicted, or after which something did not go as it should. */
  let failure: { reason: unknown } | undefined;

  function begin(name: string, victim: Unit | 'database', inflict: () => Promise<void>) {
    onFault();
    busy.add(victim);
    const beganMs = performance.now();
    const ended = inflict()
      .then(() => survived.set(name, (survived.get(name) ?? 0) + 1))
      .catch((reason: unknown) => (failure ??= { reason }))
      // As much peace as harm: on a slow machine, where a start takes long, the next fault would otherwise come before the first answer.
      .then(() => sleep(performance.now() - beganMs, stop))
      .finally(() => {
        busy.delete(victim);
        underWay.delete(ended);
      });
    underWay.add(ended);
  }

  while (!stop.aborted) {
    const draw = random() * shares;
    const first = Math.floor(random() * fleet.units.length);
    // Drawn whether they are used or not, so that one long fault does not change all that come after it.
    const own = seededRandom(Math.floor(random() * 2 ** 31));
    if (draw < databaseShare) {
      const fault = faultAt(databaseFaults, draw);
      if (!busy.has('database')) begin(fault.name, 'database', () => fault.inflict(fleet, own));
    } else {
      const fault = faultAt(unitFaults, draw - databaseShare);
      const unit = idleFrom(fleet.units, first, busy);
      if (unit) begin(`${unit.role}: ${fault.name}`, unit, () => fault.inflict(unit, own));
    }
    await sleep(drawMs(random, pause), stop);
    if (failure) throw failure.reason;
  }
  await Promise.all(underWay);
  if (failure) throw failure.reason;
  return survived;
}

/** The unit drawn, or the next one to which nothing is being done. */
function idleFrom(units: readonly Unit[], first: number, busy: ReadonlySet<unknown>): Unit | undefined {
  return [...units.slice(first), ...units.slice(0, first)].find((unit) => !busy.has(unit));
}

function faultAt<Fault extends { share: number }>(faults: readonly Fault[], draw: number): Fault {
  let rest = draw;
  for (const fault of faults) {
    if (rest < fault.share) return fault;
    rest -= fault.share;
  }
  throw new Error('the shares do not add up');
}

function sumShares(faults: ReadonlyArray<{ share: number }>): number {
  return faults.reduce((sum, { share }) => sum + share, 0);
}
