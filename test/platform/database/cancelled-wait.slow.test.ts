import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import { findResult } from '../../../src/workspaces/idempotency/once.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/servers/own-postgres.ts';
import { startReplica, type Replica } from '../../support/servers/replica.ts';
import { startWitnessedService, type WitnessedService } from '../../../harness/witness/witnessed-service.ts';

const GROUPS = 5;
/** Several heartbeats. */
const CANCELLED_MS = 6_000;

let primary: OwnPostgres;
let replica: Replica;
let current: OwnPostgres;
let service: WitnessedService;
/** The connection of an operator, who writes nothing. */
let byHand: Database;
beforeAll(async () => {
  primary = await startOwnPostgres();
  current = primary;
  const { user, database } = primary.address();
  service = await startWitnessedService({ socket: () => current.socket(), user, database }, GROUPS);
  replica = await startReplica(primary);
  byHand = connectDatabase(primary.address(), { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
});
afterAll(async () => {
  await service.remove();
  await replica.remove();
  await primary.remove();
});

/** Stops the WAL sender, so that each commit waits for the replica. Resolves to its pid. */
async function silenceReplica(): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_replication`.execute(byHand);
  const pid = rows[0]?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGSTOP');
  return pid;
}

async function cancelWaits(stop: AbortSignal): Promise<number> {
  let cancelled = 0;
  while (!stop.aborted) {
    const { rows } = await sql`
      select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`.execute(byHand);
    cancelled += rows.length;
    await sleep(20);
  }
  return cancelled;
}

async function countCampaigns(name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from campaigns where name = ${name}`.execute(byHand);
  return rows[0]?.count ?? 0;
}

/** Takes a key, whose commit wait is cancelled, and looks its result up. Resolves to whether the result is returned before the replica has it. */
async function isToldAgain(stopCancelling: () => Promise<unknown>): Promise<boolean> {
  const db = connectDatabase(primary.address(), { log: createLog('silent'), poolSize: 2, silenceMs: Infinity });
  const key = {
    workspaceId: 1 as WorkspaceId,
    key: 'k',
    operation: 'venom/add-campaign',
    bodyHash: Buffer.alloc(32),
  };
  const taking = sql`
    insert into idempotency_keys (workspace_id, key, operation, body_hash, result)
    values (${key.workspaceId}, ${key.key}, ${key.operation}, ${key.bodyHash}, '{}')`.execute(db);
  await expect(taking).rejects.toMatchObject({ code: '57014' });
  await stopCancelling();
  const { rows } = await sql`select from idempotency_keys where key = ${key.key}`.execute(db);
  expect(rows).toHaveLength(1);
  const telling = findResult(db, key).then(
    () => true,
    // The server is killed.
    () => false,
  );
  return Promise.race([telling, sleep(1_000).then(() => false)]);
}

test('reports no commit as successful whose wait for the replica is cancelled, so that a failover loses nothing', async () => {
  await service.send('before');
  await until(
    () => service.accepted('before'),
    (count) => count === GROUPS,
  );
  const sender = await silenceReplica();
  const over = new AbortController();
  const cancelling = cancelWaits(over.signal);
  let isAccepted = false;
  const sending = service.send('cancelled').then(() => (isAccepted = true));
  await sleep(CANCELLED_MS);
  // Other sessions see the rows that a failover will lose.
  expect(await countCampaigns('cancelled')).toBeGreaterThan(0);
  expect(isAccepted).toBe(false);
  expect(await service.accepted('cancelled')).toBe(0);
  const stopCancelling = () => {
    over.abort();
    return cancelling;
  };
  expect(await isToldAgain(stopCancelling)).toBe(false);
  expect(await cancelling).toBeGreaterThan(0);
  await byHand.destroy();
  process.kill(sender, 'SIGKILL');
  await primary.end('kill -9');
  current = await replica.promote();
  await sending;
  await service.send('after');
  await service.expectNothingLostOrTwice();
});
