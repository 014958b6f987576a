import { sql, type RawBuilder } from 'kysely';
import type { UserId, WorkspaceId } from '../database/schema.ts';

/** Whose rows are moved. */
export interface Belongings {
  workspaceId: WorkspaceId;
  accountId: number;
  userIds: UserId[];
}

/** By what a table's rows are found to be a workspace's. */
type Owner = 'user' | 'workspace' | 'account' | 'campaign' | 'webhook';

export interface MovedTable {
  table: string;
  owner: Owner;
  /** What a row becomes on the way, in terms of the row `t` and the move `m`. */
  becomes?: RawBuilder<unknown>;
  /** Triggers write rows of it while others are put in; these give way to those that are moved. */
  isWrittenByTriggers?: boolean;
  /** Rows are so large that they are read one by one. */
  isLarge?: boolean;
  /** Where rows refer to others of the same table: those come first. */
  order?: RawBuilder<unknown>;
}

/**
 * All tables of which a workspace's rows are moved, in the order in which they are put in: first what others refer to. A test holds
 * that each table of the schema is either here or in `STAYS`.
 */
export const MOVES: readonly MovedTable[] = [
  { table: 'users', owner: 'user', becomes: sql`jsonb_build_object('is_admin', false, 'kept_token_id', null)` },
  { table: 'user_logins', owner: 'user' },
  // What is stored is counted as the files are put in.
  { table: 'workspaces', owner: 'workspace', becomes: sql`jsonb_build_object('stored_bytes', 0, 'moved_to', null)` },
  { table: 'memberships', owner: 'workspace' },
  { table: 'sign_in_places', owner: 'user' },
  { table: 'factors', owner: 'user' },
  { table: 'recovery_codes', owner: 'user' },
  { table: 'notice_choices', owner: 'user' },
  { table: 'notices', owner: 'user' },
  { table: 'api_keys', owner: 'workspace' },
  { table: 'audit_log', owner: 'workspace' },
  { table: 'media', owner: 'workspace', isLarge: true },
  { table: 'drafts', owner: 'workspace' },
  { table: 'accounts', owner: 'workspace' },
  { table: 'account_states', owner: 'account', isWrittenByTriggers: true },
  { table: 'groups', owner: 'account' },
  { table: 'group_sizes', owner: 'account', isWrittenByTriggers: true },
  { table: 'group_lists', owner: 'account' },
  { table: 'campaigns', owner: 'account' },
  { table: 'contents', owner: 'campaign' },
  {
    table: 'runs',
    owner: 'account',
    // They were all paused when the lane was taken away.
    becomes: sql`case when t.status in ('planned', 'running')
      then jsonb_build_object('paused', t.run_id = any(m.paused_run_ids)) else '{}' end`,
  },
  { table: 'deliveries', owner: 'account' },
  { table: 'revisions', owner: 'account' },
  { table: 'revision_requests', owner: 'account' },
  { table: 'receipts', owner: 'account' },
  { table: 'provisional_receipts', owner: 'account' },
  { table: 'run_minutes', owner: 'account' },
  { table: 'group_sums', owner: 'account', isWrittenByTriggers: true },
  { table: 'time_sums', owner: 'account' },
  { table: 'account_keys', owner: 'account' },
  { table: 'account_sessions', owner: 'account' },
  { table: 'whatsapp_posts', owner: 'account' },
  { table: 'whatsapp_sent', owner: 'account' },
  { table: 'whatsapp_uploads', owner: 'account' },
  { table: 'sandbox_accounts', owner: 'account' },
  { table: 'sandbox_chats', owner: 'account', order: sql`t.parent_id nulls first` },
  { table: 'sandbox_messages', owner: 'account' },
  { table: 'events', owner: 'workspace', isWrittenByTriggers: true },
  // After groups and events, so that nothing of the move is told.
  { table: 'webhooks', owner: 'workspace' },
  { table: 'webhook_retries', owner: 'webhook' },
  { table: 'webhook_tries', owner: 'workspace' },
  { table: 'idempotency_keys', owner: 'workspace' },
];

/** What stays where it is, and why. The lane is moved too, by its move (`leave.ts`). */
export const STAYS: Readonly<Record<string, string>> = {
  lanes: 'is kept in the move from when it is taken away, so that nothing can be sent here meanwhile',
  sessions: 'tokens are signed by the installation: everybody signs in anew',
  signed_out_tokens: 'as sessions',
  push_subscriptions: 'browsers have subscribed with the key of the installation',
  notice_turns: 'what waits to be told outside of the dashboard is told from where it happened',
  mails: 'their links are made with the secret of the installation',
  account_commands: 'whoever waited for what was asked of a session is gone',
  attempts: 'what was guessed here says nothing elsewhere',
  spent_challenges: 'are good for minutes, and here alone',
  quarantine: 'what fails there fails there anew, and is left out then',
  moves: 'is about the installation, as are those that follow',
  ledger: '',
  shards: '',
  workers: '',
  health_problems: '',
  event_sequence: '',
  notice_reader: '',
  push_keys: '',
  whatsapp_version: '',
  migrations: '',
};

const OWNERS: Readonly<Record<Owner, (of: Belongings) => RawBuilder<boolean>>> = {
  user: ({ userIds }) => sql`t.user_id = any(${userIds}::bigint[])`,
  workspace: ({ workspaceId }) => sql`t.workspace_id = ${workspaceId}`,
  account: ({ accountId }) => sql`t.account_id = ${accountId}`,
  campaign: ({ accountId }) =>
    sql`t.campaign_id in (select c.campaign_id from campaigns c where c.account_id = ${accountId})`,
  webhook: ({ workspaceId }) =>
    sql`t.webhook_id in (select w.webhook_id from webhooks w where w.workspace_id = ${workspaceId})`,
};

/** Of a row `t`, that it belongs to the workspace. */
export const belongsTo = ({ owner }: MovedTable, of: Belongings): RawBuilder<boolean> => OWNERS[owner](of);
