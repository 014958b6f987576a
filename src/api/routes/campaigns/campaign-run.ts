import type { RunDetails } from '../../../sending/campaigns/read/get-campaign.ts';

/** A run as the wire has it. */
export function toWireRun(run: RunDetails) {
  return {
    run_id: run.runId,
    due_at: run.dueAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    status: run.status,
    queued: run.queued,
    sent: run.sent,
    failed: run.failed,
    cancelled: run.cancelled,
  };
}
