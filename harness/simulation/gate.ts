/**
 * The gate before the database: every statement of every virtual process waits here until the simulator lets it through, one at a
 * time, with or without a fault. What waits for a lock in the server stands aside until that is free.
 */
import type pg from 'pg';
import type { PostgresAddress } from '../../src/platform/database/connect.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { broken, openBackends, type GatedConnection, type Statement, type UnderWay } from './backends.ts';
import type { History } from './history.ts';
import type { Fault } from './line.ts';
import { openPool } from './pool.ts';
import { freeze, settle, time, type VirtualProcess } from './virtual-time.ts';

export type { GatedConnection, Statement } from './backends.ts';

/** As src/platform/database/connect.ts has it, in virtual time. */
const STATEMENT_MS = 8_000;
const IDLE_IN_TRANSACTION_MS = 8_000;
const SILENCE_MS = 10_000;

export interface Gate {
  /** The statements that may go through, in the order of their arrival. */
  waiting(): readonly Statement[];
  /**
   * Lets a statement through, with a fault or none. Resolves when the statement is answered, or waits in the server for another process's
   * lock.
   */
  letThrough(statement: Statement, fault: Fault | null, delayMs?: number): Promise<void>;
  /** Ends a process: none of its pending operations completes, and the server sees the disconnect. */
  crash(process: VirtualProcess): Promise<void>;
  /** A pool of a process. */
  open(process: VirtualProcess): Database;
  /** Those that live and were given a pool. */
  processes(): VirtualProcess[];
  /** What the simulator began by itself, as a statement that came late. */
  background(): Promise<void>;
  /** There is something of that to do. */
  isBusy(): boolean;
  /** Ends every connection there is. */
  close(): Promise<void>;
}

const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
const isEnd = (text: string) => text === 'commit' || text === 'rollback';
/** The statement calls no writing function of ours, so it notifies nobody. */
export const isReading = (text: string) =>
  /^\s*select\b/.test(text) && !/notify|claim_turns|finish_turns|settle|close_runs/.test(text);
export const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction');

export function openGate({
  address,
  control,
  history,
  onCommit,
}: {
  address: PostgresAddress;
  /** To another database of the server. */
  control: pg.Client;
  history: History;
  /** Called when something may have been committed. */
  onCommit: () => Promise<void>;
}): Gate {
  let waiting: Statement[] = [];
  let parked: UnderWay[] = [];
  let background: Array<() => Promise<void>> = [];
  const backends = openBackends(address, control);
  const connections = new Set<GatedConnection>();
  let statementCount = 0;
  let processes: VirtualProcess[] = [];

  async function connect(process: VirtualProcess): Promise<GatedConnection> {
    const connection = await backends.connect(process);
    connections.add(connection);
    return connection;
  }

  /** Resolves when the server has closed the connection and rolled back. */
  async function cut(connection: GatedConnection): Promise<void> {
    if (!connections.delete(connection)) return;
    connection.isBroken = true;
    const isIts = (one: { statement: Statement }) => one.statement.connection === connection;
    const gone = [
      ...parked.filter(isIts).map((one) => one.statement),
      ...waiting.filter((one) => one.connection === connection),
    ];
    parked = parked.filter((one) => !isIts(one));
    waiting = waiting.filter((one) => one.connection !== connection);
    await backends.end(connection);
    for (const one of gone) time.deliver(one.process, () => one.reject(broken()));
  }

  function note(statement: Statement, fault: Fault | null, outcome: string, delayMs?: number) {
    const { number, process, connection, text } = statement;
    history.add({
      kind: 'statement',
      statement: number,
      process: process.name,
      connection: connection.number,
      sql: shorten(text),
      outcome,
      fault,
      ...(delayMs !== undefined && { delayMs }),
    });
  }

  function begin(statement: Statement, fault: Fault | null): UnderWay {
    const underWay = backends.send(statement, fault);
    time.at(time.nowMs() + STATEMENT_MS, () => {
      if (parked.includes(underWay))
        background.push(async () => {
          if (parked.includes(underWay)) await backends.cancel(underWay);
        });
    });
    return underWay;
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
        if (!parked.includes(one) || !(await backends.isFree(one)) || !(await backends.isAnswered(one))) continue;
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
    if (await backends.isAnswered(underWay)) await conclude(underWay);
    else parked.push(underWay);
    await settle();
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
      if (fault === 'crash before' || fault === 'cut') note(statement, fault, 'not yet sent');
      if (fault === 'delayed') note(statement, fault, 'not yet sent', delayMs);
      if (fault === 'crash before') return crash(statement.process);
      if (fault === 'cut') {
        await cut(statement.connection);
        time.deliver(statement.process, () => statement.reject(broken()));
        return goOn();
      }
      if (fault === 'delayed') return delay(statement, delayMs);
      if (fault === 'frozen') {
        note(statement, fault, 'not yet sent', delayMs);
        freeze(statement.process, delayMs);
        limitIdle(statement.connection);
        waiting.push(statement);
        return;
      }
      await carryOut(statement, fault);
    },
    crash,
    processes: () => (processes = processes.filter(({ isDead }) => !isDead)),
    open(process) {
      processes.push(process);
      return openPool(process, {
        connect,
        cut,
        ask: (statement) => void waiting.push(statement),
        later: (work) => void background.push(work),
      });
    },
    async background() {
      while (background.length > 0) {
        const [first, ...others] = background;
        background = others;
        await first?.();
        await settle();
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
