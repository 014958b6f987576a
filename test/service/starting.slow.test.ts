/** A process that has not started yet answers on its port: a liveness probe must not kill what waits for the database or migrates it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/servers/embedded.ts';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { until } from '../support/ledger.ts';

/** Held by a process that migrates: src/platform/database/migrate-database.ts. */
const UPGRADE_LOCK = 718_293_002;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Starts a process, and returns a function that asks it. */
async function start(role: string, socketFolder: string) {
  const { address } = database;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/campanile.mjs')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      ROLE: role,
      DATABASE_URL: `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(socketFolder)}`,
      DATA_DIR: temporaryFolder(),
      STATE_DIR: temporaryFolder(),
      JWT_SECRET: 'a secret of at least thirty-two letters',
      ENCRYPTION_KEY: '0'.repeat(64),
      METRICS_TOKEN: 'see',
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return async (path: string) => {
    const headers = { authorization: 'Bearer see' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined);
    return { status: answer?.status, text: (await answer?.text()) ?? '', headers: answer?.headers };
  };
}

test.for(['api', 'worker'])(
  '%s: is live and not ready while another process migrates, and ready afterwards',
  async (role) => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const holding = database.db.transaction().execute(async (trx) => {
      await execute(trx)`set local idle_in_transaction_session_timeout = 0`;
      await execute(trx)`select pg_advisory_xact_lock(${UPGRADE_LOCK})`;
      await finished;
    });
    onTestFinished(() => finish());
    const { address } = database;
    const ask = await start(role, 'url' in address ? '' : address.socketFolder);
    const ready = () => ask('/health/ready');
    const migrating = await until(ready, ({ text }) => text.includes('up to date'));
    expect([migrating.status, JSON.parse(migrating.text)]).toMatchObject([
      503,
      {
        status: 'unavailable',
        message: 'Campanile is starting, and brings the database up to date',
        checks: { database: 'ok', starting: 'failed' },
      },
    ]);
    expect((await ask('/health/live')).status).toBe(200);
    const other = await ask('/api/v1/user/get_profile');
    expect([other.status, other.headers?.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.parse(other.text)).toMatchObject({ error: true, code: 503, error_code: 'database_unavailable' });
    expect((await ask('/metrics')).text).toContain('\ncampanile_ready 0\n');

    finish();
    await holding;
    expect((await until(ready, ({ status }) => status === 200)).text).not.toContain('starting');
    expect((await ask('/metrics')).text).toContain('\ncampanile_ready 1\n');
  },
);

test('is live and not ready while it waits for the database', async () => {
  const nowhere = temporaryFolder();
  rmSync(nowhere, { recursive: true });
  const ask = await start('api', nowhere);
  const waiting = await until(
    () => ask('/health/ready'),
    ({ status }) => status === 503,
  );
  expect(JSON.parse(waiting.text)).toMatchObject({
    message: 'Campanile is starting, and waits for the database',
    checks: { database: 'failed', starting: 'failed' },
  });
  expect((await ask('/health/live')).status).toBe(200);
  expect((await ask('/metrics')).text).toContain('\ncampanile_database_up 0\n');
});
