import { readOne, type Database } from '../../platform/database/statements.ts';
import { IS_LEDGER_LIVE } from '../../platform/database/outbox.ts';

const WEBHOOK_STATUSES = ['active', 'failing', 'disabled'] as const;

/** The counts of webhooks, over all workers. */
export interface WebhookCounts {
  byStatus: ReadonlyMap<(typeof WEBHOOK_STATUSES)[number], number>;
  /**
   * The longest time that a webhook has been due, slow ones aside. If it grows, no worker serves it. 0: none is due, or the ledger is
   * held.
   */
  overdueSeconds: number;
  /** The webhooks that use the permits of slow endpoints. */
  slow: number;
}

export async function countWebhooks(db: Database): Promise<WebhookCounts> {
  const found = await readOne<{
    active: number;
    failing: number;
    disabled: number;
    slow: number;
    overdueSeconds: number;
  }>(db)`
    select count(*) filter (where disabled_at is null and failing_since is null)::int as active,
           count(*) filter (where disabled_at is null and failing_since is not null)::int as failing,
           count(*) filter (where disabled_at is not null)::int as disabled,
           count(*) filter (where disabled_at is null and is_slow)::int as slow,
           coalesce(extract(epoch from campanile_now() - min(greatest(next_try_at, claimed_until)) filter (
             where disabled_at is null and not is_slow and (newest > position or has_retries) and greatest(next_try_at, claimed_until) <= campanile_now()
               and ${IS_LEDGER_LIVE}
           )), 0)::float8 as "overdueSeconds"
    from webhooks`;
  return {
    byStatus: new Map(WEBHOOK_STATUSES.map((status) => [status, found[status]])),
    slow: found.slow,
    overdueSeconds: found.overdueSeconds,
  };
}
