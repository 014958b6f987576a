import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import { continueTrace, inSpan, isTracing, startSpan } from '../../platform/log/trace.ts';
import type { Turn } from './claim-turns.ts';
import type { Outcome } from './outcome.ts';

/** Carries out a turn, as a span of its run where an SDK of OpenTelemetry is loaded. */
export type TraceTurn = (turn: Turn, run: () => Promise<Outcome[]>) => Promise<void>;

/** Of the turns of one claim: one span a turn, however many deliveries it has, from before its send until it is written down. */
export function traceTurns({ db, log }: { db: Connection; log: Log }, turns: readonly Turn[]): TraceTurn {
  if (!isTracing() || turns.length === 0) return async (_turn, run) => void (await run());
  // Beside what else is read for the sends; without it a try begins a trace of its own.
  const known = readTraceparents(db, turns).catch((error: unknown) => {
    log.debug({ err: error }, 'which traces runs belong to could not be read');
    return new Map<number, string | null>();
  });
  return async (turn, run) => {
    const span = startSpan(`send ${turn.messenger}`, attributesOf(turn), continueTrace((await known).get(turn.runId)));
    await inSpan(span, async () => {
      const outcomes = await run();
      const kinds = Map.groupBy(outcomes, (outcome) => outcome.kind);
      for (const [kind, some] of kinds) span.setAttribute(`campanile.attempts.${kind}`, some.length);
      if (kinds.has('failed')) span.setStatus({ code: SpanStatusCode.ERROR });
    });
  };
}

function attributesOf(turn: Turn) {
  return {
    kind: SpanKind.CONSUMER,
    attributes: {
      'messaging.system': turn.messenger,
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'send',
      'messaging.batch.message_count': turn.deliveries.length,
      'campanile.account.id': turn.accountId,
      'campanile.run.id': turn.runId,
      'campanile.turn': turn.turn,
    },
  };
}

/** By run. */
async function readTraceparents(db: Connection, turns: readonly Turn[]): Promise<Map<number, string | null>> {
  const { rows } = await sql<{ run_id: number; traceparent: string | null }>`
    select r.run_id, r.traceparent
    from unnest(${turns.map((turn) => turn.workspaceId)}::bigint[], ${turns.map((turn) => turn.runId)}::bigint[]) i (workspace_id, run_id)
    join runs r on r.workspace_id = i.workspace_id and r.run_id = i.run_id`.execute(db);
  return new Map(rows.map((row) => [row.run_id, row.traceparent]));
}
