import { context, SpanKind, trace } from '@opentelemetry/api';
import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import { continueTrace, isTracing, startSpan, writeTraceparent } from '../../../platform/log/trace.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

interface BegunRun {
  workspace_id: WorkspaceId;
  run_id: number;
  targets: number;
  traceparent: string | null;
}

/**
 * Gives each run of these workspaces that has just begun a span, which its tries and receipts continue. A run that begins within a
 * request belongs to the request's trace; one that was planned has a trace of its own, with a link to the request. Call in the
 * transaction that began them.
 */
export async function traceRuns(trx: Connection, workspaceIds: readonly WorkspaceId[]): Promise<void> {
  if (!isTracing()) return;
  const { rows } = await sql<BegunRun>`
    select r.workspace_id, r.run_id, r.targets, c.traceparent
    from runs r join campaigns c on c.campaign_id = r.campaign_id
    where r.workspace_id = any(${workspaceIds}::bigint[]) and r.status = 'running' and r.traceparent is null
      and r.started_at = campanile_now()`.execute(trx);
  if (rows.length === 0) return;
  const traceparents = rows.map(traceRun);
  await sql`
    update runs r set traceparent = t.traceparent
    from unnest(${rows.map((run) => run.workspace_id)}::bigint[], ${rows.map((run) => run.run_id)}::bigint[],
                ${traceparents}::text[]) t (workspace_id, run_id, traceparent)
    where r.workspace_id = t.workspace_id and r.run_id = t.run_id`.execute(trx);
}

function traceRun({ workspace_id, run_id, targets, traceparent }: BegunRun): string | null {
  const asked = trace.getSpanContext(continueTrace(traceparent));
  const isWithin = trace.getSpan(context.active()) !== undefined;
  const span = startSpan('begin run', {
    kind: SpanKind.PRODUCER,
    links: asked && !isWithin ? [{ context: asked }] : [],
    attributes: {
      'messaging.system': 'campanile',
      'messaging.operation.type': 'create',
      'messaging.operation.name': 'begin run',
      'messaging.batch.message_count': targets,
      'campanile.workspace.id': workspace_id,
      'campanile.run.id': run_id,
    },
  });
  span.end();
  return writeTraceparent(span);
}
