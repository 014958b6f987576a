/** As much of pg's pool as Kysely asks for, whose statements wait at the gate. */
import { Kysely } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../src/platform/database/statements.ts';
import type { Schema } from '../../src/platform/database/schema.ts';
import { NotifyingDialect } from '../../src/platform/database/notify-after-commit.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { broken, type GatedConnection, type Statement } from './backends.ts';
import { time, type VirtualProcess } from './virtual-time.ts';

const POOL_SIZE = 10;

export interface PoolHooks {
  connect: (process: VirtualProcess) => Promise<GatedConnection>;
  cut: (connection: GatedConnection) => Promise<void>;
  ask: (statement: Statement) => void;
  later: (work: () => Promise<void>) => void;
}

export function openPool(process: VirtualProcess, { connect, cut, ask, later }: PoolHooks): Database {
  const idle: GatedConnection[] = [];
  const queue: Array<(connection: GatedConnection) => void> = [];
  const clients = new WeakMap<GatedConnection, ReturnType<typeof clientOf>>();
  let open = 0;

  function query(
    connection: GatedConnection,
    text: string,
    parameters: readonly unknown[] = [],
  ): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (process.isDead) return;
      if (connection.isBroken) return reject(broken());
      ask({ number: 0, process, connection, text, parameters, resolve, reject });
    });
  }

  function release(connection: GatedConnection, discard: boolean): void {
    if (process.isDead) return;
    if (!discard && !connection.isBroken) {
      const next = queue.shift();
      if (next) next(connection);
      else idle.push(connection);
      return;
    }
    later(() => cut(connection));
    open -= 1;
    const next = queue.shift();
    if (next) openOne(next);
  }

  function openOne(take: (connection: GatedConnection) => void): void {
    open += 1;
    later(async () => {
      const connection = await connect(process);
      time.deliver(process, () => take(connection));
    });
  }

  function clientOf(connection: GatedConnection) {
    return {
      processID: connection.pid,
      query: (text: string, parameters?: readonly unknown[]) => query(connection, text, parameters),
      release: (discard?: boolean) => release(connection, discard ?? false),
    };
  }

  function wrap(connection: GatedConnection) {
    const client = clients.get(connection) ?? clientOf(connection);
    clients.set(connection, client);
    return client;
  }

  const pool = {
    options: {},
    connect: () =>
      new Promise<ReturnType<typeof clientOf>>((resolve) => {
        const take = (connection: GatedConnection) => resolve(wrap(connection));
        let known = idle.pop();
        while (known?.isBroken) {
          open -= 1;
          known = idle.pop();
        }
        if (known) take(known);
        else if (open < POOL_SIZE) openOne(take);
        else queue.push(take);
      }),
    end: () => Promise.resolve(),
  };
  /** For hints, which take a connection for one statement. */
  async function askOnce(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const client = await pool.connect();
    try {
      const result = await client.query(text, parameters);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
  const hinting = { pool: { query: askOnce } as never, log: createLog('silent' as never) };
  return new Kysely<Schema>({ dialect: new NotifyingDialect({ pool: pool as never }, hinting) });
}
