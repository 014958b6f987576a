import { SpanKind } from '@opentelemetry/api';
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { continueTrace, inSpan, isTracing, startSpan } from '../../platform/log/trace.ts';
import type { MemberEvent } from '../../messengers/messenger.ts';
import type { AccountId } from '../../platform/database/schema.ts';

interface TracedRun {
  run_id: number;
  traceparent: string;
  events: number;
}

/**
 * Records a batch of what members did, as a span of each run that it is about: beside the tries, since which try it was is not kept.
 * Of a run without a trace there is none, and nothing at all where no SDK of OpenTelemetry is loaded.
 */
export async function traceReceipts(
  db: Connection,
  accountId: AccountId,
  { events, record }: { events: readonly MemberEvent[]; record: () => Promise<void> },
): Promise<void> {
  if (!isTracing()) return record();
  let traced = record;
  for (const run of await findRuns(db, accountId, events)) {
    const inner = traced;
    traced = () => inSpan(startReceipts(accountId, run), inner);
  }
  return traced();
}

function startReceipts(accountId: AccountId, run: TracedRun) {
  const attributes = {
    'messaging.system': 'campanile',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'record receipts',
    'messaging.batch.message_count': run.events,
    'campanile.account.id': accountId,
    'campanile.run.id': run.run_id,
  };
  return startSpan('record receipts', { kind: SpanKind.CONSUMER, attributes }, continueTrace(run.traceparent));
}

async function findRuns(db: Connection, accountId: AccountId, events: readonly MemberEvent[]): Promise<TracedRun[]> {
  const ids = events.flatMap((event) => ('messageId' in event ? [event.messageId] : []));
  const { rows } = await sql<TracedRun>`
    with ledger as materialized (select workspace_id from lanes where account_id = ${accountId})
    select r.run_id, r.traceparent, count(*)::int as events
    from unnest(${ids}::text[]) e (message_id)
    -- Looked up one by one, as receipts are.
    cross join lateral (
      select run_id from deliveries where workspace_id + 0 = (select workspace_id from ledger) and message_id = e.message_id limit 1) d
    join runs r on r.workspace_id = (select workspace_id from ledger) and r.run_id = d.run_id
    where r.traceparent is not null
    group by r.run_id, r.traceparent`.execute(db);
  return rows;
}
