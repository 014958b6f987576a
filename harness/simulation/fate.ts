/** How each statement of a seed fares. */
import { pick, seededRandom } from '../../test/support/inputs/random.ts';
import { isBegin, isReading, type Statement } from './gate.ts';
import { FAULTS, type Fault } from './line.ts';
import type { Fate } from './world.ts';

export interface Asked {
  seed: number;
  /** Statements until all harm ends. */
  steps: number;
  /** Only the faults at these statements; all unless given. */
  only?: readonly number[] | undefined;
}

/** Some worlds have many faults. In others a fault has time to show its consequences. */
const FAULT_CHANCES = [0.002, 0.006, 0.02];
/** Where something is written more can go wrong. */
const WHERE_WRITTEN = 3;
const FREEZE_CHANCES = [0, 0.04, 0.12];
/** Longer than a lease lasts. */
const randomFreezeMs = (random: () => number) => 9_000 + random() * 8_000;

/** How each statement fares is drawn from the seed and its number alone, so that leaving one fault out moves no other. */
export function randomFate({ seed, only }: Asked, harmed: number[]): Fate {
  const order = seededRandom(seed ^ 0x04de4);
  const notifications = seededRandom(seed ^ 0x417);
  const freezes = seededRandom(seed ^ 0xf2ee);
  const freezeChance = pick(freezes, FREEZE_CHANCES);
  const faultChance = pick(freezes, FAULT_CHANCES);
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
