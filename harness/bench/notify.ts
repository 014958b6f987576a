/**
 * What it costs a commit to notify: PostgreSQL lets one transaction at a time commit that does, until the disk and the synchronous
 * replica have it. Beside it the same commits without a hint, and with ours, which are told after them.
 */
import { execute, type Connection, type Database } from '../../src/platform/database/statements.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { notifyAfterCommit } from '../../src/platform/database/notify-after-commit.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { startOwnPostgres, type OwnPostgres } from '../../test/support/servers/own-postgres.ts';
import { startReplica } from '../../test/support/servers/replica.ts';
import { startDelayLine } from './support/delay-line.ts';
import type { Bench } from './support/run-benches.ts';
import { count, median, type Row } from './support/table.ts';

const CONNECTIONS = 32;
const THREE = { rounds: 3, roundMs: 3_000 };
const DELAYS_MS = [0, 1];
const REACH = 0.6;

/** How the transaction says that there is something to do. */
const WAYS: Readonly<Record<string, (trx: Connection) => Promise<unknown>>> = {
  'no hint': () => Promise.resolve(),
  'pg_notify in the transaction': (trx) => execute(trx)`select pg_notify('campanile_lanes', '')`,
  'hint after the commit': (trx) => notifyAfterCommit(trx, 'campanile_lanes'),
};

export async function benchNotify({ pick, report }: Bench): Promise<void> {
  const rounds = pick(THREE, { ...THREE, rounds: 1 }, { rounds: 1, roundMs: 100 });
  await using undo = new AsyncDisposableStack();
  // As in production: the disk is waited for.
  const primary = await startOwnPostgres({ fsync: 'on' });
  undo.defer(() => primary.remove());
  const line = await startDelayLine(() => primary.socket());
  undo.defer(() => line.close());
  const db = connect(primary);
  undo.defer(() => db.destroy());
  await execute(db)`create table work (worker int primary key, done int not null) with (fillfactor = 50)`;
  await execute(db)`insert into work select n, 0 from generate_series(1, ${CONNECTIONS}::int) n`;
  await report('commits without a replica', () => compare(db, 'without a replica', rounds));
  const replica = await startReplica(primary, line.port);
  undo.defer(() => replica.remove());
  for (const ms of DELAYS_MS) {
    const where = `a synchronous replica ${ms} ms away`;
    line.delay(ms);
    await report(`commits with ${where}`, () => compare(db, where, rounds));
  }
  line.delay(0);
}

function connect(primary: OwnPostgres): Database {
  return connectDatabase(primary.address(), { log: createLog('warn'), poolSize: CONNECTIONS + 1, name: 'bench' });
}

interface Pace {
  perS: number;
  p50Ms: number;
}

/** Each way in turn, round after round, so that all have the same bad moments of the machine. */
async function compare(db: Database, where: string, { rounds, roundMs }: typeof THREE): Promise<Row[]> {
  const found = new Map<string, Pace[]>(Object.keys(WAYS).map((way) => [way, []]));
  for (let round = 0; round < rounds; round++)
    for (const [way, notify] of Object.entries(WAYS)) found.get(way)?.push(await commitAlong(db, notify, roundMs));
  const inTheMiddle = (way: string, of: keyof Pace) => median((found.get(way) ?? []).map((pace) => pace[of]));
  const inWords = (way: string) =>
    `${count(inTheMiddle(way, 'perS'))}/s, p50 ${inTheMiddle(way, 'p50Ms').toFixed(1)} ms`;
  const [none = '', inside = '', after = ''] = Object.keys(WAYS);
  const row = (way: string, reach: string, reached: (ratio: number) => boolean): Row => {
    const ratio = inTheMiddle(way, 'perS') / inTheMiddle(none, 'perS');
    const what = `commits of ${CONNECTIONS} connections, ${where}: ${way}`;
    return { what, ours: inWords(way), yardstick: `${none} ${inWords(none)}`, ratio, reach, reached: reached(ratio) };
  };
  return [row(inside, 'for the docs', () => true), row(after, `≥ ${REACH}`, (ratio) => ratio >= REACH)];
}

/** All connections commit one transaction after the other. */
async function commitAlong(
  db: Database,
  notify: (trx: Connection) => Promise<unknown>,
  roundMs: number,
): Promise<Pace> {
  const tookMs: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, worker) => {
      while (performance.now() - startedAt < roundMs) {
        const beganAt = performance.now();
        await db.transaction().execute(async (trx) => {
          await execute(trx)`update work set done = done + 1 where worker = ${worker + 1}`;
          await notify(trx);
        });
        tookMs.push(performance.now() - beganAt);
      }
    }),
  );
  return { perS: tookMs.length / ((performance.now() - startedAt) / 1_000), p50Ms: median(tookMs) };
}
