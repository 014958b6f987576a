import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import type { LendingPool } from './share-connections.ts';

/** The function of PostgreSQL in which a commit waits for its replica. Unlike its words it is in no language. */
const WAITING_FOR_REPLICA = 'SyncRepWaitForLSN';

/**
 * PostgreSQL's code for a cancelled statement, and so answered and retried as one. Unlike a cancelled statement, the commit may have taken
 * effect, as after a broken connection.
 */
const QUERY_CANCELED = '57014';

const READ_ONLY = '25006';

/**
 * Sets a new connection up. Clients may reach a server before its promotion. It answers reads, but has not replayed all of its log: accepted
 * data would be missing. After the promotion it stays the leader for as long as its connections last.
 *
 * Not in Kysely's `onCreateConnection`: it never gives back a connection for which that throws, and a server that stalls would use up the
 * pool.
 */
async function setUp(client: pg.PoolClient, settings: Readonly<Record<string, number>>): Promise<void> {
  const changes = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  try {
    const { rows } = await client.query<{ is_replica: boolean }>(
      `select pg_is_in_recovery() as is_replica, ${changes.join(', ')}`,
    );
    if (rows[0]?.is_replica) throw Object.assign(new Error('the server is a replica'), { code: READ_ONLY });
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/**
 * Wraps a pool: gives each connection its `settings`, rejects connections to a replica, and rejects commits whose wait for the synchronous
 * replica was cancelled. PostgreSQL reports such a commit as a success with a warning, although a failover loses it
 * (docs/explanation/decisions/0015).
 */
export function assertReplicatedCommits(pool: LendingPool, settings: Readonly<Record<string, number>>): PostgresPool {
  const unconfirmed = new WeakSet<object>();
  pool.on('connect', (client) =>
    client.on('notice', ({ routine }) => void (routine === WAITING_FOR_REPLICA && unconfirmed.add(client))),
  );
  const confirmed = new WeakMap<object, PostgresPoolClient>();
  const confirm = (client: pg.PoolClient): PostgresPoolClient => {
    const plain = client as unknown as PostgresPoolClient;
    async function ask<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
      const result = await plain.query<Row>(sql, parameters);
      if (unconfirmed.delete(client))
        throw Object.assign(new Error('the wait of a commit for the synchronous replica was cancelled'), {
          code: QUERY_CANCELED,
        });
      return result;
    }
    function query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
    function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
    function query<Row>(asked: string | PostgresCursor<Row>, parameters: readonly unknown[] = []) {
      return typeof asked === 'string' ? ask<Row>(asked, parameters) : plain.query(asked);
    }
    return { query, release: (destroy) => client.release(destroy) };
  };
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      // The same each time: by it Kysely knows which connections are new.
      let known = confirmed.get(client);
      if (known) return known;
      await setUp(client, settings);
      known = confirm(client);
      confirmed.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}
