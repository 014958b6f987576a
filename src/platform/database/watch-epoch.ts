import type { Log } from '../log/log.ts';
import { startLoop } from '../concurrency/loop.ts';
import type { Database } from './connect.ts';
import { nameNewestVersion, readMigrations, readHighestEpoch } from './inspect-schema.ts';
import { loadSchemaFiles } from './schema-files.ts';

const POLL_MS = 2_000;

export interface EpochWatch {
  /** Resolves with a sentence when a newer version has brought the database up to date: this process must not go on. */
  superseded: Promise<string>;
  stop(): Promise<void>;
}

/** Polls the ledger's epoch every 2 s, so that an older process calls no functions that it does not know for longer than that. */
export async function watchEpoch(
  db: Database,
  { log, onLoopError }: { log: Log; onLoopError: (loop: string) => void },
): Promise<EpochWatch> {
  const { epoch } = await loadSchemaFiles();
  const { promise: superseded, resolve } = Promise.withResolvers<string>();
  async function poll(): Promise<number> {
    const applied = await readMigrations(db);
    const reached = readHighestEpoch(applied);
    if (reached > epoch.number)
      resolve(
        `a newer version, ${nameNewestVersion(applied) ?? 'Campanile'}, has brought the database up to date (epoch ${reached}, this process has ${epoch.number}): this process stops. Start that version in its place.`,
      );
    return POLL_MS;
  }
  const loop = startLoop('epoch', poll, { log, onError: onLoopError });
  return { superseded, stop: () => loop.stop() };
}
