/** Two processes that start at once on an empty database of another server, on a machine without pg_dump. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { removeService, startService } from '../support/service/service.ts';

test('both start, and neither asks for a backup of what the other has just made', async () => {
  const database = await createEmptyDatabase();
  const home = await mkdtemp(join(tmpdir(), 'campanile-two-starts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const environment = {
    DATABASE_URL: `postgres://${address.user}@localhost/${address.database}?host=${encodeURIComponent(address.socketFolder)}`,
    JWT_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: '07'.repeat(32),
    ROLE: 'worker',
    PATH: '/nowhere',
  };
  const starts = await Promise.allSettled(
    ['one', 'other'].map((name) => startService({ folder: join(home, name), environment })),
  );
  for (const start of starts)
    if (start.status === 'fulfilled') {
      await start.value.stop();
      await removeService(start.value);
    }
  await database.drop();
  expect(starts.map((start) => (start.status === 'rejected' ? String(start.reason) : 'started'))).toEqual([
    'started',
    'started',
  ]);
});
