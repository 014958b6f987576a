import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { listenForNotifications } from '../../../src/platform/database/listen.ts';
import type { Log } from '../../../src/platform/log/log.ts';
import { createSandbox } from '../../../src/messengers/sandbox/sandbox.ts';
import { startWorker } from '../../../src/app/worker.ts';
import type { EmptyDatabase } from './cluster.ts';

export interface BenchWorker extends AsyncDisposable {
  /** Deliveries sent so far. */
  sent(): number;
}

/** The half that sends, in this process, to a sandbox whose members do nothing, without gaps. */
export async function startBenchWorker({ address }: EmptyDatabase, log: Log): Promise<BenchWorker> {
  const pool = connectDatabase(address, { log });
  const notifications = listenForNotifications(address, { log });
  const sandbox = createSandbox({ db: connectDatabase(address, { log, poolSize: 4 }), log, speed: 0 });
  let sent = 0;
  const worker = await startWorker({
    db: pool,
    log,
    notifications,
    messengers: new Map([[sandbox.name, sandbox]]),
    gaps: { sandbox: { minMs: 0, maxMs: 0 } },
    name: 'bench',
    alone: true,
    onOutcome: (kind, count) => {
      if (kind === 'sent') sent += count;
    },
  });
  return {
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await notifications.close();
      await sandbox.close();
      await pool.destroy();
    },
  };
}
