/** One simulated world: the service's own code, a real database behind the gate, and a clock and a chance of its own. */
import { startWorker, type Worker } from '../src/worker.ts';
import { createLog } from '../src/lib/log.ts';
import { createOwner, type Owner } from '../test/support/ledger.ts';
import { openGate, type Gate, type Statement } from './gate.ts';
import { openNotifications, type Notifications } from './hints.ts';
import { openHistory, type History } from './history.ts';
import type { Fault } from './line.ts';
import { connectControl, copyTemplate, type ServerAddress } from './server.ts';
import { settle, time, current, type VirtualProcess } from './virtual-time.ts';
import { openWitness, type Witness } from './witness.ts';
import type pg from 'pg';

/** Who decides what happens next: drawn from a seed, or enumerated by whoever looks for something. */
export interface Fate {
  /** Which of so many goes next. */
  choose(count: number): number;
  /** What is done to a statement that is about to be let through, and by how much it is late. */
  fault(statement: Statement, number: number): { fault: Fault; delayMs: number } | null;
  /** What becomes of a hint, in [0, 1): below 0.1 it is lost, the more the later it comes. */
  hint(): number;
  /** How long a statement takes, in milliseconds. */
  statementMs(): number;
}

export interface World {
  gate: Gate;
  witness: Witness;
  history: History;
  owners: Owner[];
  control: pg.Client;
  openHints: Notifications['open'];
  /** Statements let through so far. */
  statements(): number;
  /** Lets one thing happen: a statement, or what a timer waited for. */
  step(): Promise<void>;
  /** Steps until that is so; false when it is not after so many statements. */
  until(holds: () => boolean, statements: number): Promise<boolean>;
  /** What `act` comes to as this process does it, with faults or without. */
  perform<T>(process: VirtualProcess, act: () => Promise<T>): Promise<T>;
  /** Starts a worker, which starts again by itself whenever it has ended. */
  startWorker(name: string): void;
  stopWorkers(): Promise<void>;
  /** Sets the wall clock of one process on or back, `chosen` in [0, 1) among the workers. */
  setClock(chosen: number, byMs: number): void;
  /** The whole machine sleeps, and wakes at that instant. */
  sleepUntil(instantMs: number): void;
  /** No faults any more. */
  heal(): void;
  close(): Promise<void>;
}

export const openProcess = (name: string): VirtualProcess => ({ name, isDead: false, frozenUntilMs: 0 });

interface Running {
  process: VirtualProcess;
  worker?: Worker;
}

export async function openWorld(
  server: ServerAddress,
  {
    seed,
    fate,
    startMs,
    gapMs,
    owners: sizes,
  }: { seed: number; fate: Fate; startMs: number; gapMs: number; owners: readonly number[] },
): Promise<World> {
  time.reset(startMs, seed);
  const history = openHistory();
  const database = await copyTemplate(server, `simulated_${process.pid}_${Math.abs(seed)}`);
  const control = await connectControl(database.address);
  let isCalm = false;
  const hints: Notifications = await openNotifications(
    database.address,
    () => fate.hint(),
    () => isCalm,
  );
  const gate = openGate({
    address: database.address,
    control: database.control,
    history,
    onCommit: () => hints.collect(),
  });
  const witness = openWitness(seed, history);
  const workers = new Map<string, Running>();
  let statements = 0;
  let areWorkersWanted = true;
  let areFaultsOn = false;

  async function step(): Promise<void> {
    do {
      await gate.background();
      await settle();
    } while (gate.isBusy());
    const [waiting, dues] = [gate.waiting(), time.due()];
    if (waiting.length + dues.length === 0) {
      const nextMs = time.nextMs();
      if (nextMs === undefined) throw new Error('nothing can ever happen any more');
      return time.advanceTo(nextMs);
    }
    const chosen = fate.choose(waiting.length + dues.length);
    const due = dues[chosen - waiting.length];
    const statement = waiting[chosen];
    if (due) time.fire(due);
    else if (statement) await pass(statement);
  }

  async function pass(statement: Statement): Promise<void> {
    statements += 1;
    time.advanceTo(time.nowMs() + fate.statementMs());
    const harm = areFaultsOn ? fate.fault(statement, statements) : null;
    await gate.letThrough(statement, harm?.fault ?? null, harm?.delayMs);
    for (const [name, running] of workers) if (running.process.isDead) restart(name);
  }

  async function until(holds: () => boolean, most: number): Promise<boolean> {
    const last = statements + most;
    for (let steps = 0; !holds(); steps++) {
      if (statements >= last || steps > most * 20) return false;
      await step();
    }
    return true;
  }

  function begin(name: string): void {
    const process = openProcess(name);
    const running: Running = { process };
    workers.set(name, running);
    history.add({ kind: 'started', process: name });
    current.run(process, () => {
      startWorker({
        db: gate.open(process),
        log: createLog('silent' as never),
        hints: hints.open(process),
        messengers: new Map([['sandbox', witness.messenger]]),
        gaps: { sandbox: { minMs: gapMs, maxMs: gapMs * 1.5 } },
        name,
        alone: false,
      }).then(
        (worker) => {
          running.worker = worker;
        },
        () => {
          history.add({ kind: 'ended', process: name });
          restart(name);
        },
      );
    });
  }

  function restart(name: string): void {
    workers.delete(name);
    if (areWorkersWanted) time.at(time.nowMs() + 200 + time.random() * 3_000, () => begin(name));
  }

  async function perform<T>(process: VirtualProcess, act: () => Promise<T>): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined;
    current.run(process, () =>
      act().then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      ),
    );
    if (!(await until(() => outcome !== undefined, 5_000))) throw new Error(`${process.name} did not come to an end`);
    if (!outcome || 'error' in outcome) throw outcome?.error;
    return outcome.value;
  }

  const setup = openProcess('setup');
  const db = gate.open(setup);
  const owners: Owner[] = [];
  for (const groups of sizes) {
    const owner = await perform(setup, () => createOwner(db, groups));
    owners.push(owner);
    const chats = owner.groupIds.map((_, index) => `${owner.accountId}-${index + 1}@g.us`);
    history.add({ kind: 'owner', accountId: owner.accountId, chats, groupIds: owner.groupIds });
  }
  areFaultsOn = true;

  return {
    gate,
    witness,
    history,
    owners,
    control,
    openHints: (process) => hints.open(process),
    statements: () => statements,
    step,
    until,
    perform,
    startWorker: begin,
    async stopWorkers() {
      areWorkersWanted = false;
      for (const { process, worker } of workers.values()) {
        history.add({ kind: 'stopping', process: process.name });
        if (worker) await perform(process, () => worker.stop());
      }
    },
    setClock(chosen, byMs) {
      const process = [...workers.values()][Math.floor(chosen * workers.size)]?.process;
      if (!process) return;
      process.skewMs = (process.skewMs ?? 0) + byMs;
      history.add({ kind: 'clock', process: process.name, byMs });
    },
    sleepUntil(instantMs) {
      history.add({ kind: 'slept', forMs: instantMs - time.nowMs() });
      time.advanceTo(instantMs);
    },
    heal() {
      history.add({ kind: 'healed' });
      areFaultsOn = false;
      isCalm = true;
    },
    async close() {
      await gate.close();
      await hints.close();
      await control.end();
      await database.drop();
    },
  };
}
