/** Events, webhooks and notices, as `schema.ts` has the other tables. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { UserId, WorkspaceId } from './ids.ts';

type GeneratedInstant = ColumnType<Date, never, never>;

export interface EventTables {
  events: {
    event_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    message_id: Generated<string>;
    type: string;
    at: GeneratedInstant;
    data: ColumnType<unknown, string, string>;
    position: number | null;
  };
  event_sequence: { is_only: Generated<boolean>; position: Generated<number> };
  webhooks: {
    webhook_id: string;
    workspace_id: WorkspaceId;
    user_id: UserId;
    url: string;
    description: string;
    events: string[];
    signature: string;
    secret: Buffer;
    former_secret: Buffer | null;
    former_until: Date | null;
    created_at: GeneratedInstant;
    position: number;
    newest: number;
    has_retries: Generated<boolean>;
    next_try_at: Generated<Date>;
    failing_since: Date | null;
    claim: Generated<number>;
    claimed_until: Date | null;
    is_slow: Generated<boolean>;
    disabled_at: Date | null;
    disabled_reason: string | null;
  };
  webhook_retries: { webhook_id: string; event_id: number };
  webhook_attempts: {
    attempt_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    webhook_id: string;
    event_id: number;
    at: Date;
    milliseconds: number;
    status: number | null;
    answer: string | null;
    error: string | null;
  };
  notices: {
    notice_id: GeneratedAlways<number>;
    user_id: UserId;
    event_id: number;
    kind: string;
    at: Date;
    data: ColumnType<unknown, string, string>;
    read_at: Date | null;
    workspace_id: WorkspaceId | null;
  };
  notice_reader: { is_only: Generated<boolean>; position: Generated<number> };
  notice_choices: { user_id: UserId; kind: string; bell: boolean; browser: boolean; email: boolean };
  push_subscriptions: {
    subscription_id: GeneratedAlways<number>;
    user_id: UserId;
    endpoint: string;
    p256dh: string;
    auth: string;
    created_at: GeneratedInstant;
    failing_since: Date | null;
  };
  notice_turns: {
    turn_id: GeneratedAlways<number>;
    user_id: UserId;
    kind: string;
    subscription_id: number | null;
    waiting: number;
    notice_id: number;
    tries: Generated<number>;
    due_at: Generated<Date>;
  };
  push_keys: { is_only: Generated<boolean>; public_key: string; private_key: Buffer };
}
