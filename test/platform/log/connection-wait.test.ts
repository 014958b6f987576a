/** A wait for a database connection is load: a warning in one short line. */
import { PassThrough } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { startLoop } from '../../../src/platform/concurrency/loop.ts';
import { connectDatabase, connectionSettings, pingDatabase } from '../../../src/platform/database/connect.ts';
import { REQUEST_SHARES } from '../../../src/platform/database/share-connections.ts';
import { createLog, FORM } from '../../../src/platform/log/log.ts';
import { createTestDatabase } from '../../support/database.ts';

const database = await createTestDatabase();
afterAll(() => database.drop());

/** Runs a step in a loop until it has failed once. Returns the line that was logged. */
async function logFailure(step: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const stream = new PassThrough();
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const loop = startLoop('due runs', async () => step().then(() => 0), {
    log: pino(FORM, stream),
    onLoopError: () => resolve(),
  });
  await failed;
  await loop.stop();
  return JSON.parse(String(stream.read()).split('\n', 1)[0] ?? '') as Record<string, unknown>;
}

test('a loop that gets no connection of a full pool logs a warning without a stack', async () => {
  const pool = new pg.Pool({ ...connectionSettings(database.address), max: 1 });
  const held = await pool.connect();
  // Only now: to make the connection takes longer than that.
  pool.options.connectionTimeoutMillis = 1;
  const line = await logFailure(() => pool.connect());
  held.release();
  await pool.end();
  expect(line).toMatchObject({ level: 'warn', loop: 'due runs' });
  expect(line['err']).toEqual({ type: 'Error', message: 'timeout exceeded when trying to connect' });
});

test('a loop that gets no permit for a connection logs a warning without a stack', async () => {
  const shares = { ...REQUEST_SHARES, permits: 1, maxWaitMs: 1 };
  const db = connectDatabase(database.address, { log: createLog('silent'), shares });
  const line = await db.connection().execute(async () => logFailure(() => pingDatabase(db)));
  await db.destroy();
  expect(line).toMatchObject({ level: 'warn', err: { type: 'ConnectionWaitError' } });
  expect(line['err']).not.toHaveProperty('stack');
});

test('a loop with a defect logs an error with its stack', async () => {
  const line = await logFailure(() => Promise.reject(new TypeError('x is not a function')));
  expect(line).toMatchObject({ level: 'error', err: { stack: expect.stringContaining('connection-wait.test.ts') } });
});
