/**
 * The tables as Kysely sees them. `migrations/001-schema.sql` is the truth, and says what each column means; a test holds this file
 * against a database. Statements on the hot path are SQL templates and carry their own types.
 */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AccountId, UserId, WorkspaceId } from './ids.ts';
import type { EventTables } from './schema-events.ts';
import type { LedgerTables } from './schema-ledger.ts';
import type { MessengerTables } from './schema-messengers.ts';

/** An instant that the database sets. As all others a Date, always UTC. */
type GeneratedInstant = ColumnType<Date, never, never>;
/** Written as text. */
type Json = ColumnType<unknown, string, string>;

export type { AccountId, UserId, WorkspaceId };

export interface Schema extends EventTables, LedgerTables, MessengerTables {
  users: {
    user_id: GeneratedAlways<UserId>;
    first_name: string;
    last_name: string;
    user_name: string;
    email: string;
    phone_number: string;
    whatsapp_number: string;
    whatsapp_digits: string;
    password_hash: string;
    time_zone: string | null;
    language: string | null;
    token_generation: Generated<number>;
    kept_token_id: string | null;
    first_signed_in_at: Date | null;
    is_admin: Generated<boolean>;
    email_verified_at: Date | null;
    disabled_at: Date | null;
    deleted_at: Date | null;
    erased_at: Date | null;
    created_at: GeneratedInstant;
  };
  user_logins: { login: string; user_id: UserId };
  signed_out_tokens: { user_id: UserId; token_id: string; expires_at: Date };
  sessions: {
    token_id: string;
    user_id: UserId;
    generation: number;
    agent: string;
    address: string;
    created_at: GeneratedInstant;
    last_used_at: Generated<Date>;
    expires_at: Date;
  };
  sign_in_networks: { user_id: UserId; network: string; used_at: GeneratedInstant };
  factors: {
    factor_id: GeneratedAlways<number>;
    user_id: UserId;
    kind: FactorKind;
    name: string;
    secret: Buffer | null;
    credential_id: string | null;
    public_key: Buffer | null;
    used: Generated<number>;
    confirmed: Generated<boolean>;
    created_at: GeneratedInstant;
    last_used_at: Date | null;
  };
  recovery_codes: { user_id: UserId; hash: Buffer };
  spent_challenges: { challenge: string; expires_at: Date };
  mails: {
    mail_id: Generated<string>;
    kind: MailKind;
    user_id: UserId | null;
    login: string | null;
    recipient: string | null;
    detail: Generated<string>;
    language: string | null;
    tries: Generated<number>;
    due_at: Generated<Date>;
    sent_at: Date | null;
    expires_at: Date;
  };
  workspaces: {
    workspace_id: GeneratedAlways<WorkspaceId>;
    stored_bytes: Generated<number>;
    created_at: GeneratedInstant;
    test_of: WorkspaceId | null;
    name: string | null;
    approval: Generated<ApprovalRule>;
    approval_over_groups: Generated<number>;
    approvers_needed: Generated<number>;
    review_group_id: number | null;
    failover_minutes: number | null;
    fails_back: Generated<boolean>;
    mention_all_cap: Generated<number>;
    weekly_posts: Generated<number | null>;
  };
  memberships: {
    workspace_id: WorkspaceId;
    user_id: UserId;
    role: Role;
    joined_at: GeneratedInstant;
    review_number: string | null;
  };
  invitations: {
    invitation_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    role: InvitedRole;
    email: string | null;
    mail_id: string | null;
    token_hash: Buffer | null;
    invited_by: UserId;
    created_at: GeneratedInstant;
    expires_at: Date;
  };
  api_keys: {
    api_key_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    user_id: UserId;
    name: string;
    scopes: ApiKeyScope[];
    prefix: string;
    hash: Buffer;
    created_at: GeneratedInstant;
    expires_at: Date | null;
    last_used_at: Date | null;
    is_test: Generated<boolean>;
    role: Generated<Role>;
  };
  attempts: { subject: string; times: Date[]; in_flight: Generated<Date[]> };
  audit_log: {
    entry_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    user_id: UserId;
    at: GeneratedInstant;
    action: string;
    subject: string;
    address: string;
    api_key_id: number | null;
    given_role: Role | null;
    former_role: Role | null;
    changes: Json | null;
  };
  idempotency_keys: {
    workspace_id: WorkspaceId;
    key: string;
    operation: string;
    body_hash: Buffer;
    result: Json | null;
    created_at: GeneratedInstant;
  };
  media: {
    media_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    used_at: Generated<Date>;
    sha256: Buffer;
    mime: string;
    size: number;
    bytes: Buffer | null;
    name: string | null;
    is_uploaded: Generated<boolean>;
    width: number | null;
    height: number | null;
    seconds: number | null;
    still: Buffer | null;
  };
  media_pieces: { media_id: number; position: number; bytes: Buffer };
  content_files: { content_id: number; media_id: number };
  drafts: {
    workspace_id: WorkspaceId;
    draft_id: string;
    name: string;
    content: Json;
    group_ids: number[];
    media_id: number | null;
    version: Generated<number>;
    updated_at: Generated<Date>;
    written_by: Generated<UserId[]>;
  };
  deleted_drafts: {
    workspace_id: WorkspaceId;
    draft_id: string;
    text_hash: Buffer | null;
    written_by: UserId[];
    deleted_at: Generated<Date>;
  };
  approvals: {
    workspace_id: WorkspaceId;
    approval_id: string;
    state: Generated<'waiting' | 'changes_requested' | 'rejected' | 'withdrawn' | 'accepted'>;
    version: Generated<number>;
    hash: Buffer;
    post: Json;
    judged: Json | null;
    media_ids: number[];
    first_due_at: Date | null;
    asked_by: UserId;
    asked_at: Generated<Date>;
    updated_at: Generated<Date>;
    campaign_id: string | null;
    written_by: Generated<UserId[]>;
  };
  approval_entries: {
    entry_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    approval_id: string;
    version: number;
    user_id: UserId;
    kind: 'asked' | 'approved' | 'changes_requested' | 'rejected' | 'withdrawn' | 'remark';
    remark: Generated<string>;
    at: GeneratedInstant;
    on_phone: Generated<boolean>;
  };
  approval_reviews: {
    campaign_id: number;
    workspace_id: WorkspaceId;
    approval_id: string;
    version: number;
    hash: Buffer;
    asked_by: UserId;
    created_at: GeneratedInstant;
  };
  review_answers: {
    answer_id: GeneratedAlways<number>;
    campaign_id: number;
    workspace_id: WorkspaceId;
    participant: string;
    number: string | null;
    remark: string | null;
    at: Generated<Date>;
  };
  accounts: {
    account_id: GeneratedAlways<AccountId>;
    workspace_id: WorkspaceId;
    messenger: string;
    status: AccountStatus;
    status_reason: string | null;
    groups_synced_at: Date | null;
    groups_sync_at: Date | null;
    groups_read_at: Date | null;
    linked_number: string | null;
    scanned_number: string | null;
    whatsapp_number: string | null;
    whatsapp_digits: string | null;
    link_method: 'qr' | 'pairing_code' | null;
    qr: string | null;
    pairing_code: string | null;
    passkey: Json | null;
    code_expires_at: Date | null;
    pause_cause: PauseCause | null;
    pauses: Generated<number>;
    paused_at: Date | null;
    paused_until: Date | null;
    quiet_from: string | null;
    quiet_to: string | null;
    daily_cap: number | null;
    warm_up_from: Date | null;
    stop_reason: string | null;
    warning: string | null;
    warned_until: Date | null;
    retry_until: Date | null;
    channels_unread_since: Date | null;
    linked_at: Date | null;
    rests_until: Date | null;
    name: string | null;
    is_default: Generated<boolean>;
    down_since: ColumnType<Date | null, never, never>;
    asked_at: Date | null;
    failover_tried_at: Date | null;
    removed_at: Date | null;
    created_at: GeneratedInstant;
  };
  account_states: {
    state_id: GeneratedAlways<number>;
    account_id: AccountId;
    at: GeneratedInstant;
    messenger: string;
    status: AccountStatus;
    reason: string | null;
  };
  account_commands: {
    command_id: GeneratedAlways<number>;
    account_id: AccountId;
    shard: GeneratedAlways<number>;
    kind: string;
    input: Json;
    status: Generated<'queued' | 'running' | 'done' | 'failed' | 'abandoned'>;
    result: Json | null;
    worker_id: number | null;
    created_at: GeneratedInstant;
    finished_at: Date | null;
  };
  workers: {
    worker_id: GeneratedAlways<number>;
    name: string;
    started_at: GeneratedInstant;
    beat_at: Generated<Date>;
    steady_since: Generated<Date>;
  };
  shards: { shard: number; worker_id: number | null; epoch: Generated<number> };
  ledger: {
    is_only: Generated<boolean>;
    installation_id: string | null;
    number: Generated<number>;
    token: string | null;
    database_identity: string | null;
    held_since: Date | null;
    held_reason: string | null;
    encryption_key_id: string | null;
    former_key_id: string | null;
    jwt_secret_id: string | null;
  };
  quarantine: {
    batch: string;
    account_id: AccountId | null;
    workspace_id: WorkspaceId | null;
    user_id: UserId | null;
    reason: string;
    failures: Generated<number>;
    since: GeneratedInstant;
    next_try_at: Date;
  };
  health_problems: { process: string; name: string; message: string; since: Date; seen_at: Generated<Date> };
  lanes: {
    account_id: AccountId;
    shard: GeneratedAlways<number>;
    messenger: string;
    work_at: Date | null;
    next_send_at: Generated<Date>;
    held_until: Generated<Date>;
    wake_at: GeneratedAlways<Date | null>;
    // The next two are unused, and stay for the previous version.
    open_until: Generated<Date>;
    open_for: number | null;
    sent_slot: Date | null;
    sent_in_slot: Generated<number>;
    turn: Generated<number>;
    in_hand_run_id: number | null;
    in_hand: string | null;
    workspace_id: Generated<WorkspaceId>;
  };
  /** The lock of what a workspace owns. */
  workspace_ledgers: { workspace_id: WorkspaceId; changes: Generated<number>; legacy_account_id: AccountId | null };
  sent_slots: { account_id: AccountId; slot: Date; posts: number };
  groups: {
    group_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    chat_id: string;
    send_to: string;
    kind: GroupKind;
    name: string;
    participants: number;
    invite_link: string | null;
    can_send: boolean;
    removed_at: Date | null;
    created_at: GeneratedInstant;
  };
  group_accounts: {
    group_id: number;
    account_id: AccountId;
    can_send: boolean;
    is_admin: boolean | null;
    seen_at: GeneratedInstant;
    gone_at: Date | null;
  };
  senders: {
    sender_rule_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    group_id: number | null;
    group_list_id: number | null;
    account_ids: AccountId[];
    reason: string | null;
    set_by: UserId;
    set_at: GeneratedInstant;
    replaced_at: Date | null;
  };
  group_sizes: { workspace_id: WorkspaceId; group_id: number; day: string; participants: number };
  group_lists: {
    group_list_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    name: string;
    group_ids: number[];
    created_at: GeneratedInstant;
  };
  report_links: {
    report_link_id: GeneratedAlways<number>;
    workspace_id: WorkspaceId;
    token_hash: Buffer;
    created_at: GeneratedInstant;
    expires_at: Date;
    start_date: string;
    end_date: string;
    time_zone: string;
    campaign_id: number | null;
    group_list_name: string | null;
    group_ids: number[] | null;
    created_by: UserId | null;
  };
  campaigns: {
    campaign_id: GeneratedAlways<number>;
    public_id: Generated<string>;
    workspace_id: WorkspaceId;
    name: string;
    description: string;
    is_channel_campaign: boolean;
    is_schedule: boolean;
    schedule_time: string | null;
    start_date: string | null;
    end_date: string | null;
    time_zone: string | null;
    weekdays: number[] | null;
    skip_dates: Generated<string[]>;
    status: CampaignStatus;
    content_id: number | null;
    open_runs: number;
    created_at: GeneratedInstant;
    finished_at: Date | null;
    traceparent: string | null;
    folded_at: Date | null;
    folded: Generated<boolean>;
    deleted_at: Date | null;
    tzdata_version: Generated<string>;
    is_test: Generated<boolean>;
    refusal: string | null;
    refusals: Generated<number>;
    refusals_sent: Generated<number>;
    pause_reason: string | null;
  };
  contents: {
    content_id: GeneratedAlways<number>;
    campaign_id: number;
    name: string | null;
    html: string;
    text: string;
    media_id: number | null;
    extras: unknown;
    group_ids: number[];
  };
}

/** In their order: each may do what the ones before it may. */
export type Role = 'analyst' | 'author' | 'manager' | 'owner';
/** Whose posts need an approval in a workspace. */
export type ApprovalRule = 'never' | 'authors' | 'all';
/** A role that an invitation can give. */
export type InvitedRole = Exclude<Role, 'owner'>;
/** The kind of a mail. */
export type MailKind =
  | 'verification'
  | 'reset'
  | 'invitation'
  | 'workspace_invitation'
  | 'new_sign_in'
  | 'password_changed'
  | 'factors_changed'
  | 'notice';
export type FactorKind = 'totp' | 'passkey';
export type ApiKeyScope = 'read' | 'write' | 'send' | 'webhooks' | 'admin';
export type PauseCause = 'rate_limited' | 'restricted' | 'refused' | 'used_elsewhere' | 'banned';

export type AccountStatus = 'unlinked' | 'linking' | 'connected' | 'reconnecting' | 'paused' | 'logged_out';
export type GroupKind = 'group' | 'community' | 'channel';
export type CampaignStatus = 'scheduled' | 'running' | 'paused' | 'completed' | 'completed_with_errors' | 'cancelled';
