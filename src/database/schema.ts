/**
 * The tables as Kysely sees them. The SQL in `migrations/` is the truth, and says what each column means; only what TypeScript
 * statements name stands here. Statements on the hot path are SQL templates and carry their own types.
 */
import type { ColumnType, Generated } from 'kysely';

/** Read as a Date, written as one. Always UTC. */
type Instant = ColumnType<Date, Date, Date>;
type NullableInstant = ColumnType<Date | null, Date | null | undefined, Date | null>;
type GeneratedInstant = ColumnType<Date, never, never>;

/** Ids that cannot be mixed up: the one says who acts, the other whose rows are looked at. */
export type UserId = number & { readonly idOf: 'user' };
export type WorkspaceId = number & { readonly idOf: 'workspace' };

export interface Schema {
  users: {
    user_id: Generated<UserId>;
    first_name: string;
    last_name: string;
    user_name: string;
    email: string;
    phone_number: string;
    whatsapp_number: string;
    whatsapp_digits: string;
    password_hash: string;
    time_zone: string | null;
    token_generation: Generated<number>;
    kept_token_id: string | null;
    first_signed_in_at: NullableInstant;
    deleted_at: NullableInstant;
    erased_at: NullableInstant;
    created_at: GeneratedInstant;
  };
  signed_out_tokens: { user_id: UserId; token_id: string; expires_at: Instant };
  user_logins: { login: string; user_id: UserId };
  workspaces: { workspace_id: Generated<WorkspaceId>; created_at: GeneratedInstant };
  memberships: { workspace_id: WorkspaceId; user_id: UserId; role: Role };
  api_keys: {
    api_key_id: Generated<number>;
    workspace_id: WorkspaceId;
    user_id: UserId;
    name: string;
    scopes: ApiKeyScope[];
    prefix: string;
    hash: Buffer;
    created_at: GeneratedInstant;
    expires_at: NullableInstant;
    last_used_at: NullableInstant;
  };
  audit_log: {
    entry_id: Generated<number>;
    workspace_id: WorkspaceId;
    user_id: UserId;
    at: GeneratedInstant;
    action: string;
    subject: string;
    address: string;
    api_key_id: number | null;
  };
  accounts: {
    account_id: Generated<number>;
    workspace_id: WorkspaceId;
    messenger: string;
    status: AccountStatus;
    groups_synced_at: NullableInstant;
    link_method: 'qr' | 'pairing_code' | null;
    qr: string | null;
    pairing_code: string | null;
    code_expires_at: NullableInstant;
    paused_until: NullableInstant;
    status_reason: string | null;
    pause_cause: PauseCause | null;
    pauses: Generated<number>;
    paused_at: NullableInstant;
    quiet_from: ColumnType<string | null, string | null | undefined, string | null>;
    quiet_to: ColumnType<string | null, string | null | undefined, string | null>;
    daily_cap: ColumnType<number | null, number | null | undefined, number | null>;
    created_at: GeneratedInstant;
  };
  lanes: {
    account_id: number;
    shard: ColumnType<number, never, never>;
    messenger: string;
    wake_at: NullableInstant;
  };
  account_commands: {
    command_id: Generated<number>;
    account_id: number;
    shard: ColumnType<number, never, never>;
    kind: string;
    input: ColumnType<unknown, string, never>;
    status: Generated<'queued' | 'running' | 'done' | 'failed' | 'abandoned'>;
    result: ColumnType<unknown, string | null | undefined, string | null>;
    worker_id: number | null;
    created_at: GeneratedInstant;
    finished_at: NullableInstant;
  };
  groups: {
    group_id: Generated<number>;
    account_id: number;
    chat_id: string;
    send_to: string;
    kind: GroupKind;
    name: string;
    participants: number;
    invite_link: string | null;
    can_send: boolean;
    removed_at: NullableInstant;
    created_at: GeneratedInstant;
  };
  media: {
    media_id: Generated<number>;
    workspace_id: WorkspaceId;
    sha256: Buffer;
    mime: string;
    bytes: Buffer;
  };
  campaigns: {
    campaign_id: Generated<number>;
    public_id: Generated<string>;
    account_id: number;
    name: string;
    description: string;
    is_channel_campaign: boolean;
    is_schedule: boolean;
    schedule_time: string | null;
    start_date: string | null;
    end_date: string | null;
    time_zone: string | null;
    weekdays: number[] | null;
    skip_dates: ColumnType<string[], string[] | undefined, string[]>;
    status: CampaignStatus;
    content_id: number | null;
    open_runs: number;
    created_at: GeneratedInstant;
    finished_at: NullableInstant;
  };
  contents: {
    content_id: Generated<number>;
    campaign_id: number;
    name: string | null;
    html: string;
    text: string;
    media_id: number | null;
    group_ids: number[];
  };
  runs: {
    account_id: number;
    run_id: Generated<number>;
    campaign_id: number;
    content_id: number | null;
    due_at: Instant;
    started_at: NullableInstant;
    finished_at: NullableInstant;
    targets: Generated<number>;
    queued: Generated<number>;
    sent: Generated<number>;
    failed: Generated<number>;
    cancelled: Generated<number>;
    status: Generated<RunStatus>;
    paused: Generated<boolean>;
  };
}

export type Role = 'owner';
export type ApiKeyScope = 'read' | 'send';
export type PauseCause = 'rate_limited' | 'restricted' | 'refused' | 'used_elsewhere';

export type AccountStatus = 'unlinked' | 'linking' | 'connected' | 'reconnecting' | 'paused' | 'logged_out';
export type GroupKind = 'group' | 'community' | 'channel';
export type CampaignStatus = 'scheduled' | 'running' | 'paused' | 'completed' | 'completed_with_errors' | 'cancelled';
export type RunStatus = 'planned' | 'running' | 'completed' | 'completed_with_errors' | 'missed' | 'cancelled';
