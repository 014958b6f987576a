import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, pingDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { serverPid, startOwnPostgres, type OwnPostgres } from '../../support/servers/own-postgres.ts';

let server: OwnPostgres;
beforeAll(async () => {
  server = await startOwnPostgres();
});
afterAll(() => server.remove());

test('treats a replica as unavailable until it is promoted', async () => {
  const address = server.address();
  await server.end('fast');
  // The server reports that it is ready once it is promoted.
  const ready = server.startReplica();
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  const ask = () =>
    pingDatabase(db).then(
      () => 'it answers',
      (error: unknown) => (error as { code?: string }).code,
    );
  await expect.poll(ask).toMatch(/^25006$|answers/);
  expect([await ask(), await ask()]).toEqual(['25006', '25006']);
  await writeFile(join(server.folder, 'postgres/promote'), '');
  process.kill(serverPid(server.folder), 'SIGUSR1');
  await ready;
  expect(await ask()).toBe('it answers');
  await db.destroy();
});
