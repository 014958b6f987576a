/**
 * The server's side of the gate. At most one process of PostgreSQL runs at a time: a process that waits for a lock is stopped (SIGSTOP).
 * Another process's commit still grants the lock, but the stopped process does nothing with the lock before the gate resumes it. So two
 * processes that one commit unblocks never race each other.
 */
import pg from 'pg';
import { connectionSettings, type PostgresAddress } from '../../src/platform/database/connect.ts';
import type { Fault } from './line.ts';
import { realSleep, time, type VirtualProcess } from './virtual-time.ts';

/** After so long without an answer we look whether it waits for a lock. */
const POLL_REAL_MS = 4;
const SLOW_POLL_REAL_MS = 50;

export interface GatedConnection {
  number: number;
  process: VirtualProcess;
  client: pg.Client;
  /** Resolves when the server's end of it is gone. */
  closed: Promise<void>;
  /** The server's process id. */
  pid: number;
  /** That process is stopped. */
  isStopped: boolean;
  inTransaction: boolean;
  isBroken: boolean;
  /** Number of requests so far: a change shows that there was another one. */
  asked: number;
  /** Settles with the statement sent last. */
  lastAnswer: Promise<unknown>;
  /** The instant it was told last. */
  toldMs: number;
}

export interface Statement {
  /** Counts those let through; 0 while it waits. */
  number: number;
  process: VirtualProcess;
  connection: GatedConnection;
  text: string;
  parameters: readonly unknown[];
  resolve: (result: pg.QueryResult) => void;
  reject: (error: Error) => void;
}

/** In the server, and not answered. */
export interface UnderWay {
  statement: Statement;
  fault: Fault | null;
  /** Answered, one way or the other. */
  outcome: { result: pg.QueryResult } | { error: Error } | undefined;
  ended: Promise<void>;
}

export const broken = (reason = 'Connection terminated unexpectedly') =>
  Object.assign(new Error(reason), { code: 'ECONNRESET' });

export interface Backends {
  connect(process: VirtualProcess): Promise<GatedConnection>;
  send(statement: Statement, fault: Fault | null): UnderWay;
  /** Resumes the process. Returns true when the statement is answered, false when it waits for a lock and was stopped. */
  isAnswered(underWay: UnderWay): Promise<boolean>;
  /** Returns whether a stopped process has got its lock, or an answer. */
  isFree(underWay: UnderWay): Promise<boolean>;
  /** As the server does when a statement takes too long; resolves when it is answered. */
  cancel(underWay: UnderWay): Promise<void>;
  /** Resolves when the server has closed the connection and rolled back. */
  end(connection: GatedConnection): Promise<void>;
}

/**
 * The processes ahead of a process in its lock queue, transitively. `blocked`: one of them is ours. `deadlocked`: the process is ahead of
 * itself.
 */
const AHEAD = `
  with recursive ahead as (
    select unnest(pg_blocking_pids($1)) as pid
    union select unnest(pg_blocking_pids(ahead.pid)) from ahead)
  select coalesce(bool_or(pid = any ($2::int[])), false) as blocked, coalesce(bool_or(pid = $1), false) as deadlocked from ahead`;

/** `control`: a connection to another database, so that its looks leave no trace in this one. */
export function openBackends(address: PostgresAddress, control: pg.Client): Backends {
  const pids = new Set<number>();
  let count = 0;

  async function connect(process: VirtualProcess): Promise<GatedConnection> {
    const client = new pg.Client({ ...connectionSettings(address), connectionTimeoutMillis: 0 });
    client.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => void client.once('end', resolve));
    await client.connect();
    const { processID: pid } = client as pg.Client & { processID: number };
    pids.add(pid);
    const state = { isStopped: false, inTransaction: false, isBroken: false, asked: 0, toldMs: NaN };
    const lastAnswer: Promise<unknown> = Promise.resolve();
    return { number: ++count, process, client, closed, pid, lastAnswer, ...state };
  }

  /** Sends statements of a connection one after the other: `pg` warns of a client that is queried while it is busy. */
  function query(connection: GatedConnection, text: string, parameters?: unknown[]): Promise<pg.QueryResult> {
    const answer = connection.lastAnswer.then(() => connection.client.query(text, parameters));
    connection.lastAnswer = answer.catch(() => undefined);
    return answer;
  }

  function send(statement: Statement, fault: Fault | null): UnderWay {
    const { connection, text, parameters } = statement;
    const underWay: UnderWay = { statement, fault, outcome: undefined, ended: Promise.resolve() };
    if (!connection.inTransaction && connection.toldMs !== time.nowMs()) {
      connection.toldMs = time.nowMs();
      // Answered before the statement itself, which reports the error if there is one.
      query(connection, `set campanile.now = '${new Date(time.nowMs()).toISOString()}'`).catch(() => undefined);
    }
    const answer =
      fault === 'cancelled'
        ? query(connection, 'select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)')
        : query(connection, text, [...parameters]);
    underWay.ended = answer.then(
      (result) => void (underWay.outcome = { result }),
      (error: Error) => void (underWay.outcome = { error }),
    );
    return underWay;
  }

  async function look({ statement: { connection } }: UnderWay): Promise<{ blocked: boolean; deadlocked: boolean }> {
    const { rows } = await control.query<{ blocked: boolean; deadlocked: boolean }>(AHEAD, [connection.pid, [...pids]]);
    return rows[0] ?? { blocked: false, deadlocked: false };
  }

  function goOn(connection: GatedConnection): void {
    if (!connection.isStopped) return;
    connection.isStopped = false;
    process.kill(connection.pid, 'SIGCONT');
  }

  return {
    connect,
    send,
    async isAnswered(underWay) {
      const { connection } = underWay.statement;
      goOn(connection);
      for (let waitMs = POLL_REAL_MS; ; waitMs = Math.min(waitMs * 2, SLOW_POLL_REAL_MS)) {
        await Promise.race([underWay.ended, realSleep(waitMs)]);
        if (underWay.outcome) return true;
        const { blocked, deadlocked } = await look(underWay);
        // Who closed the circle has to give up, and is told so by the server.
        if (!blocked || deadlocked || underWay.outcome) continue;
        process.kill(connection.pid, 'SIGSTOP');
        connection.isStopped = true;
        return false;
      }
    },
    isFree: async (underWay) => underWay.outcome !== undefined || !(await look(underWay)).blocked,
    async cancel(underWay) {
      const { connection } = underWay.statement;
      await control.query('select pg_cancel_backend($1)', [connection.pid]);
      goOn(connection);
      await underWay.ended;
    },
    async end(connection) {
      // The server process must receive the signal before it resumes, or it would carry on with the lock.
      await control.query('select pg_terminate_backend($1)', [connection.pid]);
      goOn(connection);
      // The system closes the socket when the process is gone, and by then the server has undone everything.
      await connection.closed;
      pids.delete(connection.pid);
    },
  };
}
