import type { Log } from '../log/log.ts';
import { startLoop } from '../concurrency/loop.ts';
import type { Database } from './statements.ts';
import { nameNewestVersion, readMigrations, readHighestEpoch } from './inspect-schema.ts';
import { loadSchemaFiles } from './schema-files.ts';

const POLL_MS = 2_000;

/** Polls the ledger's epoch every 2 s, so that an older process calls no functions that it does not know for longer than that. */
export async function watchEpoch(db: Database, options: { log: Log; onLoopError: (loop: string) => void }) {
  const { epoch } = await loadSchemaFiles();
  const { promise: superseded, resolve } = Promise.withResolvers<string>();
  async function poll(): Promise<number> {
    const applied = await readMigrations(db);
    const reached = readHighestEpoch(applied);
    if (reached > epoch)
      resolve(
        `a newer version, ${nameNewestVersion(applied)}, has brought the database up to date (epoch ${reached}, this process has ${epoch}): this process stops. Start that version in its place.`,
      );
    return POLL_MS;
  }
  const loop = startLoop('epoch', poll, options);
  return {
    /** Resolves with a sentence when a newer version has brought the database up to date: this process must not go on. */
    superseded,
    stop: () => loop.stop(),
  };
}
