/** The rows of the workspaces that housekeeping removes by their age, in this order. */
import type { OldRows } from '../platform/database/clear-old-rows.ts';
import { sql } from '../platform/database/statements.ts';
import { LIFETIME_HOURS } from '../workspaces/idempotency/once.ts';

/** A closed request for approval stays so long after its last change. Its campaign stays, and the audit log names who decided. */
const CLOSED_APPROVAL_DAYS = 90;

export const OLD_ROWS: readonly OldRows[] = [
  {
    table: 'idempotency_keys',
    owner: 'workspace_id',
    isOld: sql`o.created_at <= campanile_now() - ${LIFETIME_HOURS} * interval '1 hour'`,
  },
  { table: 'audit_log', owner: 'workspace_id', isOld: sql`o.at < campanile_now() - interval '1 year'` },
  { table: 'account_states', owner: 'account_id', isOld: sql`o.at < campanile_now() - interval '90 days'` },
  // Days that are over in every time zone.
  { table: 'sent_slots', owner: 'account_id', isOld: sql`o.slot < campanile_now() - interval '3 days'` },
  {
    table: 'group_sizes',
    owner: 'workspace_id',
    isOld: sql`o.day < (campanile_now() at time zone 'UTC')::date - 366`,
  },
  { table: 'report_links', owner: 'workspace_id', isOld: sql`o.expires_at <= campanile_now()` },
  {
    table: 'approvals',
    owner: 'workspace_id',
    isOld: sql`
      o.state in ('rejected', 'withdrawn', 'accepted') and o.updated_at <= campanile_now() - ${CLOSED_APPROVAL_DAYS} * interval '1 day'`,
  },
  { table: 'webhook_attempts', owner: 'workspace_id', isOld: sql`o.at < campanile_now() - interval '30 days'` },
  { table: 'notices', owner: 'user_id', isOld: sql`o.at < campanile_now() - interval '90 days'` },
  // If the workspace has a webhook, its events stay for 30 days for replays.
  { table: 'events', owner: 'workspace_id', isOld: sql`o.at < campanile_now() - interval '30 days'` },
  // A client may resume within a day, and an hour more is for late writes. Events of the days between are checked for two days only, so that
  // kept events are not read again and again.
  {
    table: 'events',
    owner: 'workspace_id',
    isOld: sql`
      o.at < campanile_now() - interval '25 hours' and o.at > campanile_now() - interval '3 days' and o.position is not null
      and not exists (select from webhooks w where w.workspace_id = o.workspace_id)`,
  },
];
