/** One statement a second polls for all loops of a worker that have nothing to do, so that an idle process costs the database little. */
import { readValue, sql, type RawBuilder, type Database } from './statements.ts';
import { startLoop, type Loop, type LoopDeps } from '../concurrency/loop.ts';
import { serveConcurrently, type Concurrently } from '../concurrency/serve-concurrently.ts';

/** What a loop works on. */
export interface PolledWork {
  /** The loop's name. */
  name: string;
  /** A condition that holds whenever the loop has something to do. It may hold at other times, too. */
  isDue(): RawBuilder<boolean>;
  /** Makes the loop run its step now. */
  wake(): void;
  /** The loop is woken at most this often; default is every poll. */
  atMostEveryMs?: number | undefined;
}

export type WorkPoll = ReturnType<typeof startWorkPoll>;

export const WORK_POLL_MS = 1_000;
/** A loop whose condition has missed something finds it by itself. */
const REST_MS = 60_000;

/** The owners of a quarantine that is over are tried again: any loop may have some. */
const IS_RETRY_DUE = sql<boolean>`exists (select from quarantine where next_try_at <= campanile_now())`;

/**
 * Finds the work of a lost hint (NOTIFY) within a second. A poll that fails wakes every loop, so that each polls for itself.
 */
export function startWorkPoll({ db, ...deps }: LoopDeps & { db: Database }) {
  const polled: PolledWork[] = [];
  const wokenAtMs = new Map<PolledWork, number>();

  function wake(work: PolledWork): void {
    const nowMs = performance.now();
    if (nowMs < (wokenAtMs.get(work) ?? -Infinity) + (work.atMostEveryMs ?? 0)) return;
    wokenAtMs.set(work, nowMs);
    work.wake();
  }

  async function step(): Promise<number> {
    const works = [...polled];
    try {
      const due = await readDue(db, [IS_RETRY_DUE, ...works.map((work) => work.isDue())]);
      works.forEach((work, index) => (due[0] || due[index + 1]) && wake(work));
    } catch (error) {
      for (const work of works) wake(work);
      throw error;
    }
    return WORK_POLL_MS;
  }

  const loop = startLoop('work poll', step, deps);
  return {
    /**
     * Polls for a loop from now on, until `stop`. Returns the pause in milliseconds that its step should ask for when it finds nothing to
     * do: the poll wakes it sooner.
     */
    add(work: PolledWork): number {
      polled.push(work);
      return REST_MS;
    },
    stop: () => loop.stop(),
  };
}

export interface PolledLoopDeps extends LoopDeps {
  /** Without it the loop polls by itself. */
  workPoll?: WorkPoll | undefined;
}

/**
 * `startLoop` for a loop that the poll wakes. `step` gets the pause in milliseconds to ask for when it finds nothing to do: without a poll it is
 * `pollMs`.
 */
export function startPolledLoop(
  deps: PolledLoopDeps,
  { pollMs, step, ...work }: Omit<PolledWork, 'wake'> & { pollMs: number; step: (restMs: number) => Promise<number> },
): Loop {
  const restMs = deps.workPoll?.add({ ...work, wake: () => loop.wake() }) ?? pollMs;
  const loop = startLoop(work.name, () => step(restMs), deps);
  return loop;
}

/** `serveConcurrently` for a loop that the poll wakes, as `startPolledLoop`. */
export function servePolled<Due, Key>(
  { workPoll, log, onLoopError }: PolledLoopDeps,
  { isDue, atMostEveryMs, ...work }: Omit<PolledWork, 'wake'> & Omit<Concurrently<Due, Key>, keyof LoopDeps>,
): Loop {
  const { name } = work;
  const pollMs = workPoll?.add({ name, isDue, atMostEveryMs, wake: () => loop.wake() }) ?? work.pollMs;
  const loop = serveConcurrently<Due, Key>({ ...work, pollMs, log, onLoopError });
  return loop;
}

async function readDue(db: Database, conditions: ReadonlyArray<RawBuilder<boolean>>): Promise<boolean[]> {
  const due = await readValue<boolean[]>(db)`select array[${sql.join(conditions)}] as due`;
  return due ?? [];
}
