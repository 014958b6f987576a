/**
 * The gate before the database: every statement of every virtual process waits here until the simulator lets it through, one at a
 * time, with or without a fault. What waits for a lock in the server stands aside until that is free.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { connectionSettings, type Database, type PostgresAddress } from '../src/database/connect.ts';
import type { Schema } from '../src/database/schema.ts';
import type { History } from './history.ts';
import type { Fault } from './line.ts';
import { realSleep, settle, time, type VirtualProcess } from './virtual-time.ts';

/** As src/database/connect.ts has it, in virtual time. */
const STATEMENT_MS = 8_000;
const IDLE_IN_TRANSACTION_MS = 8_000;
const SILENCE_MS = 10_000;
const POOL_SIZE = 10;
/** After so long without an answer we look whether it waits for a lock. */
const LOOK_REAL_MS = 2;

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

export interface GatedConnection {
  number: number;
  process: VirtualProcess;
  client: pg.Client;
  /** The server's number of it. */
  pid: number;
  inTransaction: boolean;
  isBroken: boolean;
  /** Counts what it was asked for, to know whether it was asked for anything since. */
  asked: number;
  /** The instant it was told last. */
  toldMs: number;
}

/** In the server, and not answered. */
interface UnderWay {
  statement: Statement;
  fault: Fault | null;
  /** Answered, one way or the other. */
  outcome: { result: pg.QueryResult } | { error: Error } | undefined;
  ended: Promise<void>;
}

export interface Gate {
  /** What may go through, in the order it came. */
  waiting(): readonly Statement[];
  /** Lets it through with a fault or none, and resolves when it is answered, or waits in the server for somebody else's lock. */
  letThrough(statement: Statement, fault: Fault | null, delayMs?: number): Promise<void>;
  /** Ends a process: nothing it waits for ever comes, and the server knows that it is gone. */
  crash(process: VirtualProcess): Promise<void>;
  /** A pool of a process. */
  open(process: VirtualProcess): Database;
  /** What the simulator began by itself, as a statement that came late. */
  background(): Promise<void>;
  /** There is something of that to do. */
  isBusy(): boolean;
  close(): Promise<void>;
}

const broken = (reason = 'Connection terminated unexpectedly') =>
  Object.assign(new Error(reason), { code: 'ECONNRESET' });
const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
const isEnd = (text: string) => text === 'commit' || text === 'rollback';
/** It calls no function of ours that writes, so that nobody is notified. */
const isReading = (text: string) =>
  /^\s*select\b/.test(text) && !/notify|claim_turns|finish_turns|settle|close_runs/.test(text);
const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction');

export function openGate({
  address,
  control,
  history,
  onCommit,
}: {
  address: PostgresAddress;
  control: pg.Client;
  history: History;
  /** Called when something may have been committed. */
  onCommit: () => Promise<void>;
}): Gate {
  let waiting: Statement[] = [];
  let parked: UnderWay[] = [];
  let background: Array<() => Promise<void>> = [];
  const connections = new Set<GatedConnection>();
  let connectionCount = 0;
  let statementCount = 0;

  async function connect(process: VirtualProcess): Promise<GatedConnection> {
    const client = new pg.Client({ ...connectionSettings(address), connectionTimeoutMillis: 0 });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    const number = ++connectionCount;
    const connection = { number, process, client, pid, inTransaction: false, isBroken: false, asked: 0, toldMs: NaN };
    connections.add(connection);
    return connection;
  }

  /** Resolves when the server has ended it, and undone what was not committed. */
  async function cut(connection: GatedConnection): Promise<void> {
    if (!connections.delete(connection)) return;
    connection.isBroken = true;
    await control.query('select pg_terminate_backend($1, 10000)', [connection.pid]);
    await connection.client.end().catch(() => undefined);
    const gone = waiting.filter((one) => one.connection === connection);
    waiting = waiting.filter((one) => one.connection !== connection);
    for (const one of gone) time.deliver(one.process, () => one.reject(broken()));
  }

  function note(statement: Statement, fault: Fault | null, outcome: string) {
    const { number, process, connection, text } = statement;
    history.add({
      kind: 'statement',
      statement: number,
      process: process.name,
      connection: connection.number,
      sql: shorten(text),
      outcome,
      fault,
    });
  }

  async function send({ connection, text, parameters }: Statement): Promise<pg.QueryResult> {
    const { client } = connection;
    if (!connection.inTransaction && connection.toldMs !== time.nowMs()) {
      connection.toldMs = time.nowMs();
      await client.query(`set campanile.now = '${new Date(time.nowMs()).toISOString()}'`);
    }
    return client.query(text, [...parameters]);
  }

  function begin(statement: Statement, fault: Fault | null): UnderWay {
    const cancelled = { ...statement, text: 'select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)', parameters: [] };
    const underWay: UnderWay = { statement, fault, outcome: undefined, ended: Promise.resolve() };
    underWay.ended = send(fault === 'cancelled' ? cancelled : statement).then(
      (result) => void (underWay.outcome = { result }),
      (error: Error) => void (underWay.outcome = { error }),
    );
    const { asked } = statement.connection;
    time.at(time.nowMs() + STATEMENT_MS, () => {
      if (underWay.outcome || statement.connection.asked !== asked) return;
      background.push(
        async () => void (await control.query('select pg_cancel_backend($1)', [statement.connection.pid])),
      );
    });
    return underWay;
  }

  /** True when it is answered, false when it waits for a lock. */
  async function isAnswered(underWay: UnderWay): Promise<boolean> {
    for (let waitMs = LOOK_REAL_MS; ; waitMs = Math.min(waitMs * 2, 50)) {
      await Promise.race([underWay.ended, realSleep(waitMs)]);
      if (underWay.outcome) return true;
      const { pid } = underWay.statement.connection;
      const { rows } = await control.query<{ blocked: boolean }>(
        'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
        [pid],
      );
      if (rows[0]?.blocked && !underWay.outcome) return false;
    }
  }

  async function conclude({ statement, fault, outcome }: UnderWay): Promise<void> {
    const { connection, process, text } = statement;
    if (!outcome) throw new Error('concluded without an outcome');
    note(
      statement,
      fault,
      'error' in outcome ? describe(outcome.error) : `${outcome.result.command} ${outcome.result.rowCount}`,
    );
    if ('result' in outcome && isBegin(text)) connection.inTransaction = true;
    if (isEnd(text)) connection.inTransaction = false;
    if (!connection.inTransaction && !isReading(text)) await onCommit();
    if (fault === 'crash after') return crash(process);
    if (fault === 'answer lost') {
      await cut(connection);
      return time.deliver(process, () => statement.reject(broken()));
    }
    limitIdle(connection);
    time.deliver(process, () =>
      'error' in outcome ? statement.reject(outcome.error) : statement.resolve(outcome.result),
    );
  }

  function limitIdle(connection: GatedConnection): void {
    if (!connection.inTransaction) return;
    const { asked } = connection;
    time.at(time.nowMs() + IDLE_IN_TRANSACTION_MS, () => {
      if (connection.asked === asked && connection.inTransaction) background.push(() => cut(connection));
    });
  }

  /** What waited for a lock goes on, one after the other, as often as one frees another. */
  async function goOn(): Promise<void> {
    for (let again = true; again;) {
      again = false;
      for (const one of parked.slice()) {
        if (!parked.includes(one) || !(await isAnswered(one))) continue;
        parked = parked.filter((other) => other !== one);
        again = true;
        await conclude(one);
        await settle();
      }
    }
  }

  async function carryOut(statement: Statement, fault: Fault | null): Promise<void> {
    statement.connection.asked += 1;
    const underWay = begin(statement, fault);
    if (await isAnswered(underWay)) await conclude(underWay);
    else parked.push(underWay);
    await goOn();
  }

  async function crash(process: VirtualProcess): Promise<void> {
    process.isDead = true;
    history.add({ kind: 'crashed', process: process.name });
    waiting = waiting.filter((one) => one.process !== process);
    parked = parked.filter((one) => one.statement.process !== process);
    for (const connection of connections) if (connection.process === process) await cut(connection);
    await onCommit();
    await goOn();
  }

  /** It reaches the server so much later; whoever waits for it does so for 10 s. */
  function delay(statement: Statement, delayMs: number): void {
    const { connection, process } = statement;
    connection.asked += 1;
    const asked = connection.asked;
    if (delayMs > SILENCE_MS)
      time.at(time.nowMs() + SILENCE_MS, () => {
        connection.isBroken = true;
        time.deliver(process, () =>
          statement.reject(Object.assign(broken('the database has said nothing'), { code: 'ETIMEDOUT' })),
        );
      });
    time.at(time.nowMs() + delayMs, () => {
      if (process.isDead || connection.asked !== asked) return;
      if (!connections.has(connection)) return time.deliver(process, () => statement.reject(broken()));
      background.push(async () => {
        await carryOut(statement, 'delayed');
        if (connection.isBroken) await cut(connection);
        await goOn();
      });
    });
    // The server ends a transaction in which it hears nothing.
    limitIdle(connection);
  }

  return {
    waiting: () => waiting.filter((one) => one.process.frozenUntilMs <= time.nowMs()),
    async letThrough(statement, fault, delayMs = 0) {
      waiting = waiting.filter((one) => one !== statement);
      statement.number = ++statementCount;
      if (fault === 'crash before' || fault === 'cut' || fault === 'delayed') note(statement, fault, 'not yet sent');
      if (fault === 'crash before') return crash(statement.process);
      if (fault === 'cut') {
        await cut(statement.connection);
        time.deliver(statement.process, () => statement.reject(broken()));
        return goOn();
      }
      if (fault === 'delayed') return delay(statement, delayMs);
      if (fault === 'frozen') {
        note(statement, fault, 'not yet sent');
        statement.process.frozenUntilMs = time.nowMs() + delayMs;
        limitIdle(statement.connection);
        waiting.push(statement);
        return;
      }
      await carryOut(statement, fault);
    },
    crash,
    open: (process) =>
      openPool(process, {
        connect,
        cut,
        ask: (statement) => void waiting.push(statement),
        later: (work) => void background.push(work),
      }),
    async background() {
      while (background.length > 0) {
        const [first, ...others] = background;
        background = others;
        await first?.();
        await goOn();
      }
    },
    isBusy: () => background.length > 0,
    async close() {
      for (const connection of connections) await cut(connection);
    },
  };
}

const describe = (error: Error) => ('code' in error ? `error ${String(error.code)}` : `error ${error.message}`);

interface PoolHooks {
  connect: (process: VirtualProcess) => Promise<GatedConnection>;
  cut: (connection: GatedConnection) => Promise<void>;
  ask: (statement: Statement) => void;
  later: (work: () => Promise<void>) => void;
}

/** As much of pg's pool as Kysely asks for. */
function openPool(process: VirtualProcess, { connect, cut, ask, later }: PoolHooks): Database {
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
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as never }) });
}
