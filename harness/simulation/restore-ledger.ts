/** A ledger that is copied at any moment and restored later, as from a backup, and an operator who then checks and resumes it. */
import { readRows } from '../../src/platform/database/statements.ts';
import { listQueued } from '../../src/operations/hold/list-queued.ts';
import type { FencingRecord, FencingRecords } from '../../src/operations/hold/fencing-record-file.ts';
import { resumeLedger } from '../../src/operations/hold/resume-ledger.ts';
import { pick } from '../../test/support/inputs/random.ts';
import { current, openProcess, time } from './virtual-time.ts';
import type { World } from './world.ts';

/** As STATE_DIR keeps them: whatever becomes of processes and of the ledger. */
export function createFencingRecords(): FencingRecords {
  const records = new Map<string, FencingRecord>();
  return {
    read: (installationId) => Promise.resolve(records.get(installationId)),
    write: (installationId, mark) => Promise.resolve(void records.set(installationId, mark)),
  };
}

const POLL_EVERY_MS = 5_000;

/** Checks every few seconds whether the ledger is held, and resumes it with one choice for all campaigns. */
export function resumePeriodically(world: World, random: () => number): void {
  let process = openProcess('operator');
  let db = world.gate.open(process);
  const resumeIfHeld = async () => {
    const rows = await readRows<{ held: boolean }>(db)`select held_since is not null as held from ledger`;
    if (!rows[0]?.held) return;
    await listQueued(db);
    const others = pick(random, ['send', 'unknown'] as const);
    world.history.add({ kind: 'releasing', others });
    await resumeLedger(db, { choices: new Map(), others }, () => Promise.resolve());
    world.history.add({ kind: 'released', others });
  };
  const later = () => time.at(time.nowMs() + POLL_EVERY_MS * (1 + random()), begin);
  const begin = () => {
    later();
    if (process.isDead) {
      process = openProcess('operator');
      db = world.gate.open(process);
    }
    // What could not be done now is done at the next look.
    current.run(process, () => void resumeIfHeld().catch(() => undefined));
  };
  later();
}
