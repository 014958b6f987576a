/** The tables of campaigns, runs, deliveries and receipts. */
import type { Generated, GeneratedAlways } from 'kysely';

export type RunStatus = 'planned' | 'running' | 'completed' | 'completed_with_errors' | 'missed' | 'cancelled';

export interface LedgerTables {
  runs: {
    account_id: number;
    run_id: GeneratedAlways<number>;
    campaign_id: number;
    content_id: number | null;
    shard: GeneratedAlways<number>;
    status: Generated<RunStatus>;
    due_at: Date;
    started_at: Date | null;
    finished_at: Date | null;
    progress_at: Date | null;
    late_at: Date | null;
    served_turn: Generated<number>;
    targets: Generated<number>;
    expanded: Generated<number>;
    next_position: Generated<number>;
    summed: Generated<number>;
    queued: Generated<number>;
    sent: Generated<number>;
    failed: Generated<number>;
    cancelled: Generated<number>;
    delivered: Generated<number>;
    read: Generated<number>;
    acknowledging: Generated<number>;
    receipts_closed_at: Date | null;
    receipts_dropped: Generated<boolean>;
    paused: Generated<boolean>;
    traceparent: string | null;
    dropping: Generated<boolean>;
  };
  deliveries: {
    account_id: number;
    run_id: number;
    group_id: number;
    not_before: Date | null;
    sent_at: Date | null;
    position: number;
    recipients: Generated<number>;
    delivered: Generated<number>;
    read: Generated<number>;
    reactions: Generated<number>;
    replies: Generated<number>;
    views: Generated<number>;
    views_seen: Generated<boolean>;
    status: Generated<'queued' | 'sent' | 'failed' | 'cancelled'>;
    attempts: Generated<number>;
    interrupted_attempts: Generated<number>;
    uncertain: Generated<boolean>;
    resend: Generated<boolean>;
    message_id: string;
    error: string | null;
  };
  revisions: {
    account_id: number;
    run_id: number;
    position: number;
    wanted: 'recall' | 'correct' | null;
    number: number;
    content_id: number | null;
    sent_at: Date | null;
    is_channel: boolean;
    not_before: Date | null;
    attempts: Generated<number>;
    corrected_at: Date | null;
    recalled_at: Date | null;
    error: string | null;
  };
  revision_requests: {
    account_id: number;
    run_id: number;
    shard: GeneratedAlways<number>;
    kind: 'recall' | 'correct';
    number: number;
    requested_at: Generated<Date>;
    tried_before: number;
    next_position: number | null;
  };
  receipts: {
    account_id: number;
    run_id: number;
    participant: number;
    delivered_at: Date | null;
    read_at: Date | null;
    position: number;
    flags: number;
    fresh: number;
  };
  provisional_receipts: { account_id: number; participant: number; run_id: number; position: number };
  run_minutes: {
    account_id: number;
    run_id: number;
    minute: Date;
    sent: Generated<number>;
    delivered: Generated<number>;
    read: Generated<number>;
  };
  group_sums: {
    account_id: number;
    campaign_id: number;
    group_id: number;
    first_sent_at: Date | null;
    last_sent_at: Date | null;
    recipients: Generated<number>;
    delivered: Generated<number>;
    read: Generated<number>;
    reactions: Generated<number>;
    replies: Generated<number>;
    views: Generated<number>;
    views_seen: Generated<boolean>;
    queued: Generated<number>;
    sent: Generated<number>;
    failed: Generated<number>;
    cancelled: Generated<number>;
    revised: Generated<number>;
    recalled: Generated<number>;
    corrected: Generated<number>;
    error_waits: Generated<boolean>;
    error_run_id: number | null;
    error: string | null;
    revision_error_run_id: number | null;
    revision_error: string | null;
  };
  time_sums: {
    account_id: number;
    campaign_id: number;
    at: Date;
    first_at: Date;
    last_at: Date;
    sent: number;
    delivered: number;
    read: number;
  };
}
