import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { listenForNotifications } from '../../../src/platform/database/listen.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { doMainJob } from '../../support/service/main-job.ts';
import { hasPgBouncer, startPgBouncer, type PgBouncer } from '../../support/servers/pgbouncer.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';
import { removeService, startService, type Service } from '../../support/service/service.ts';

// `apt-get install pgbouncer` brings it.
describe.runIf(hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let pooler: PgBouncer;
  let straight: Proxy;
  let service: Service;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    const { address } = database;
    if ('url' in address) throw new Error('tests need a server on a Unix socket');
    pooler = await startPgBouncer(address);
    straight = await startProxy(() => ({ path: `${address.socketFolder}/.s.PGSQL.${address.port}` }));
    service = await startService({
      environment: {
        DATABASE_URL: pooler.url,
        DATABASE_LISTEN_URL: `postgres://${address.user}@127.0.0.1:${straight.port}/${address.database}`,
        SANDBOX_SPEED: '1000',
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    await removeService(service);
    await straight.close();
    await pooler.stop();
    await database.drop();
  });

  test('sends a campaign', async () => {
    expect(await doMainJob(service.url)).toContain('sent');
  });

  test('listens on a direct connection to the server', async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = 'campanile hints'`.execute(database.db);
    expect(rows).toEqual([{ count: 1 }]);
    const { rows: channels } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name <> 'campanile hints' and query like 'listen %'`.execute(
      database.db,
    );
    expect(channels).toEqual([{ count: 0 }]);
  });

  test('keeps the timeouts of pooled connections after a start', async () => {
    if ('url' in database.address) throw new Error('tests need a server on a Unix socket');
    // As many as a start uses. Two transactions at once see both.
    const small = await startPgBouncer(database.address, { size: 2 });
    const clients = [1, 2].map(() => new pg.Client({ connectionString: small.url }));
    try {
      await migrateDatabase(small.address, createLog('silent'));
      for (const client of clients) {
        await client.connect();
        await client.query('begin');
        const { rows } = await client.query(
          `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
        );
        expect(rows).toEqual([{ statement: '8s', idle: '8s' }]);
      }
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await small.stop();
    }
  });

  test('loses only time when it listens through the pooler', async () => {
    const notifications = listenForNotifications(pooler.address, { log: createLog('silent') });
    let told = 0;
    notifications.on('campanile_runs', () => told++);
    try {
      await until(
        () => Promise.resolve(told),
        (count) => count === 1,
      );
      for (let index = 0; index < 20; index++) await sql`select pg_notify('campanile_runs', '')`.execute(database.db);
      expect(await doMainJob(service.url)).toContain('sent');
    } finally {
      await notifications.close();
    }
  });
});
