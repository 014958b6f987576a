/** A child process that starts the embedded server with the options of its first argument, reports the result and waits. */
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { createLog } from '../../../src/platform/log/log.ts';

const options: unknown = JSON.parse(process.argv[2] ?? '');
if (typeof options !== 'object' || options === null || !('dataDir' in options) || typeof options.dataDir !== 'string')
  throw new Error('which DATA_DIR?');

const tell = (news: object) => process.stdout.write(`${JSON.stringify(news)}\n`);
try {
  const postgres = await startEmbeddedPostgres({
    dataDir: options.dataDir,
    log: createLog('silent'),
    settings: { fsync: 'off' },
  });
  process.once('SIGTERM', () => void postgres.stop());
  tell({ ready: true });
} catch (error) {
  tell({ failed: String(error) });
}
