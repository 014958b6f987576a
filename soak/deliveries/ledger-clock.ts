import { sleep } from '../../src/platform/time/time.ts';

const POLL_MS = 50;

/**
 * How far the database's clock was set back, and the gate for its large steps. The time of a planned run is one of the wall clock: after a
 * step of hours, a run that was planned before would be due hours later. So a large step waits until no run is planned, and requests that
 * add campaigns wait for the step.
 */
export class LedgerClock {
  /** How far it was set back, at least; ... */
  leastMs = 0;
  /** ... and at most, while a change is under way. */
  mostMs = 0;
  /** False while a large step waits: campaigns are sent now instead of planned. */
  mayPlan = true;
  #requests = 0;
  #step: Promise<void> | undefined;

  /** Makes a request that adds a campaign, and waits first while the clock is being set. */
  async request<Result>(add: () => Promise<Result>): Promise<Result> {
    while (this.#step) await this.#step;
    this.#requests += 1;
    try {
      return await add();
    } finally {
      this.#requests -= 1;
    }
  }

  /** Takes a large step: `drain` resolves when no run is planned, and then `setBack` sets the clock back while no campaign is being added. */
  async step(
    ms: number,
    { drain, setBack }: { drain: () => Promise<void>; setBack: () => Promise<void> },
  ): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.mayPlan = false;
    try {
      await drain();
      this.#step = done.promise;
      while (this.#requests > 0) await sleep(POLL_MS);
      // A request that was under way may have planned a run.
      await drain();
      await setBack();
      this.leastMs += ms;
      this.mostMs += ms;
    } finally {
      this.mayPlan = true;
      this.#step = undefined;
      done.resolve();
    }
  }
}
