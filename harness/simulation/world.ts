/** One simulated world: the service's own code, a real database behind the gate, and a clock and a chance of its own. */
import { startWorker, type Worker } from '../../src/app/worker.ts';
import { sendWebhooks } from '../../src/notifications/webhooks/send-webhooks.ts';
import { LEASE_MS } from '../../src/sending/leases/leases.ts';
import type { FencingRecords } from '../../src/operations/hold/fencing-record-file.ts';
import { watchLedger } from '../../src/operations/hold/watch-ledger.ts';
import { startWorkPoll, type WorkPoll } from '../../src/platform/database/work-poll.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { pick } from '../../test/support/inputs/random.ts';
import { openGate, type Gate, type Statement } from './gate.ts';
import { createOwners, type SimulatedOwner } from './owners.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import type { FurtherPlan } from './several-accounts.ts';
import { openNotifications, type SimulatedNotifications } from './notifications.ts';
import { openHistory, type History } from './history.ts';
import type { Fault } from './line.ts';
import { connectControl, copyTemplate, type ServerAddress } from './server.ts';
import { current, freeze, openProcess, settle, time, type VirtualProcess } from './virtual-time.ts';
import { openWitness, type Witness } from './witness.ts';
import type pg from 'pg';

/** Who decides what happens next: drawn from a seed, or enumerated by whoever looks for something. */
export interface Fate {
  /** Which of so many goes next. */
  choose(count: number): number;
  /** The fault of a statement that is about to run, and its delay. */
  fault(statement: Statement, number: number): { fault: Fault; delayMs: number } | null;
  /** The fate of a notification, in [0, 1): lost below 0.1, else the higher the later. */
  notificationDelay(): number;
  /** For how long the process that is about to send a post stands still; 0: it does not. */
  freezeMs(): number;
  /** How long a statement takes, in milliseconds. */
  statementMs(): number;
}

export interface World {
  gate: Gate;
  witness: Witness;
  receiver: Receiver;
  history: History;
  owners: SimulatedOwner[];
  /** A connection for questions about the ledger from outside of the world. */
  readonly control: pg.Client;
  openHints: SimulatedNotifications['open'];
  /** Statements let through so far. */
  statements(): number;
  /** Lets one thing happen: a statement, or what a timer waited for. */
  step(): Promise<void>;
  /** Steps until that is so; false when it is not after so many statements. */
  until(holds: () => boolean, statements: number): Promise<boolean>;
  /** Runs `act` in this process, with or without faults. Returns its result. */
  perform<T>(process: VirtualProcess, act: () => Promise<T>): Promise<T>;
  /** Starts a worker, which starts again by itself whenever it has ended. */
  startWorker(name: string): void;
  stopWorkers(): Promise<void>;
  /** Sets the wall clock of one process on or back, `chosen` in [0, 1) among the workers. */
  setClock(chosen: number, byMs: number): void;
  /** The whole machine sleeps, and wakes at that instant. */
  sleepUntil(instantMs: number): void;
  /** The same, while timers and monotonic clocks stand still, as those of a suspended machine do. */
  suspend(forMs: number): void;
  /** No faults any more. */
  heal(): void;
  /** One worker stays healthy. All others end or freeze for good, and notifications stop. No other faults. */
  leaveAlone(random: () => number): Promise<void>;
  /** All processes end, and the ledger is copied as it is then. Workers start again by themselves. */
  copy(): Promise<void>;
  /** All processes end, and the copy takes the ledger's place. */
  putBack(): Promise<void>;
  close(): Promise<void>;
}

interface Running {
  process: VirtualProcess;
  workPoll: WorkPoll;
  worker?: Worker;
  webhooks?: { stop(): Promise<void> };
}

export async function openWorld(
  server: ServerAddress,
  {
    seed,
    fate,
    startMs,
    gapMs,
    owners: sizes,
    marks: fencingRecords,
    webhooks = 0,
    further = [],
  }: {
    seed: number;
    fate: Fate;
    startMs: number;
    gapMs: number;
    owners: readonly number[];
    /** Where workers keep marks of the ledger; they keep none without. */
    marks?: FencingRecords | undefined;
    /** How many of the first owners have a webhook; none unless given, and then nothing is delivered. */
    webhooks?: number | undefined;
    /** The accounts of each owner beside the default one; undefined: there are none. None unless given. */
    further?: ReadonlyArray<FurtherPlan | undefined> | undefined;
  },
): Promise<World> {
  time.reset(startMs, seed);
  const history = openHistory();
  const database = await copyTemplate(server, `simulated_${process.pid}_${Math.abs(seed)}`);
  let control = await connectControl(database.address);
  let hearing: 'badly' | 'well' | 'nothing' = 'badly';
  const notifications: SimulatedNotifications = await openNotifications(database.address, () => {
    const drawn = fate.notificationDelay();
    return hearing === 'nothing' || (hearing === 'badly' && drawn < 0.1) ? null : drawn * 30;
  });
  const gate = openGate({
    address: database.address,
    control: database.control,
    history,
    onCommit: () => notifications.collect(),
  });
  const witness = openWitness(seed, history, {
    freezeMs: () => (areFaultsOn ? fate.freezeMs() : 0),
    staysOpen: further.some(Boolean),
  });
  const receiver = openReceiver(seed, history);
  const workers = new Map<string, Running>();
  const names = new Set<string>();
  let statements = 0;
  let isWanted: (name: string) => boolean = () => true;
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
    names.add(name);
    history.add({ kind: 'started', process: name });
    current.run(process, () => {
      const db = gate.open(process);
      const log = createLog('silent' as never);
      const patienceMs = LEASE_MS;
      const workPoll = startWorkPoll({ db, log });
      const running: Running = { process, workPoll };
      workers.set(name, running);
      startWorker({
        db,
        log,
        maySend: fencingRecords && watchLedger({ db, log, fencingRecords, dataDir: undefined, patienceMs }),
        notifications: notifications.open(process),
        messengers: new Map([['sandbox', witness.messenger]]),
        gaps: { sandbox: { minMs: gapMs, maxMs: gapMs * 1.5 } },
        name,
        alone: false,
        workPoll,
      }).then(
        (worker) => {
          running.worker = worker;
          const { egress, vault } = receiver;
          if (webhooks > 0) running.webhooks = sendWebhooks({ db, log, egress, vault, workPoll });
        },
        () => {
          void workPoll.stop();
          history.add({ kind: 'ended', process: name });
          restart(name);
        },
      );
    });
  }

  function restart(name: string): void {
    workers.delete(name);
    time.at(time.nowMs() + 200 + time.random() * 3_000, () => {
      if (isWanted(name)) begin(name);
    });
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

  /** As where the machine with the database loses its power. */
  async function replaceLedger(act: () => Promise<void>): Promise<void> {
    await gate.background();
    for (const process of gate.processes()) await gate.crash(process);
    await gate.background();
    await gate.close();
    await notifications.pause();
    await control.end();
    await act();
    control = await connectControl(database.address);
    await notifications.goOn();
    for (const name of workers.keys()) restart(name);
  }

  const owners = await createOwners({ gate, witness, receiver, history, perform }, { seed, sizes, webhooks, further });
  areFaultsOn = true;

  return {
    gate,
    witness,
    receiver,
    history,
    owners,
    get control() {
      return control;
    },
    openHints: (process) => notifications.open(process),
    statements: () => statements,
    step,
    until,
    perform,
    startWorker: begin,
    async stopWorkers() {
      isWanted = () => false;
      for (const { process, workPoll, worker, webhooks: sender } of workers.values()) {
        if (process.isDead || process.frozenUntilMs === Infinity) continue;
        history.add({ kind: 'stopping', process: process.name });
        await perform(process, async () => {
          await sender?.stop();
          await worker?.stop();
          await workPoll.stop();
        });
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
    suspend(forMs) {
      history.add({ kind: 'slept', forMs });
      time.suspend(forMs);
    },
    heal() {
      history.add({ kind: 'healed' });
      areFaultsOn = false;
      hearing = 'well';
    },
    async leaveAlone(random) {
      areFaultsOn = false;
      hearing = 'nothing';
      const whole = pick(random, [...names]);
      const others = [...names].filter((name) => name !== whole);
      const frozen = others.filter(() => random() < 0.5);
      const killed = others.filter((name) => !frozen.includes(name));
      isWanted = (name) => name === whole;
      history.add({ kind: 'left alone', process: whole, killed, frozen });
      for (const name of others) {
        const process = workers.get(name)?.process;
        if (!process || process.isDead) continue;
        if (frozen.includes(name)) freeze(process, Infinity);
        else await gate.crash(process);
      }
    },
    async copy() {
      await replaceLedger(() => database.copy());
      history.add({ kind: 'copied' });
    },
    async putBack() {
      await replaceLedger(() => database.putBack());
      history.add({ kind: 'put back' });
    },
    async close() {
      await gate.close();
      await notifications.close();
      await control.end();
      await database.drop();
    },
  };
}
