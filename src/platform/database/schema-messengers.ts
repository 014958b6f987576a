/** The tables of single messengers, which no statement of the ledger touches. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { AccountId, WorkspaceId } from './ids.ts';

export interface MessengerTables {
  sandbox_accounts: { account_id: AccountId; workspace_id: WorkspaceId; is_banned: Generated<boolean> };
  sandbox_chats: {
    chat_id: string;
    workspace_id: WorkspaceId;
    kind: 'group' | 'community' | 'announcement' | 'channel';
    parent_id: string | null;
    name: string;
    description: string;
    invite_code: string;
    participants: string[];
    picture: Buffer | null;
    demoted_accounts: Generated<AccountId[]>;
    removed_accounts: Generated<AccountId[]>;
    created_at: ColumnType<Date, never, never>;
  };
  sandbox_messages: {
    chat_id: string;
    seq: GeneratedAlways<number>;
    account_id: AccountId;
    message_id: string;
    text: string;
    media_mime: string | null;
    media_size: number | null;
    media_sha256: Buffer | null;
    files: unknown;
    ballot: unknown;
    link_preview: unknown;
    sent_at: Generated<Date>;
    seen_until: Generated<Date>;
    next_activity_at: Date | null;
    corrected_at: Date | null;
    recalled_at: Date | null;
    mentions_all: Generated<boolean>;
    quoted_message_id: string | null;
    pinned_until: Date | null;
  };
  account_keys: { account_id: AccountId; kind: string; name: string; sealed: Buffer };
  account_sessions: { account_id: AccountId; number: number; ended_at: Date | null };
  whatsapp_proxies: { account_id: AccountId; proxy: string };
  whatsapp_version: { only_row: Generated<boolean>; version: string; let_in_at: Generated<Date>; ends_at: Date | null };
  whatsapp_posts: { account_id: AccountId; post_hash: Buffer; message: Buffer; sent_at: Date };
  whatsapp_sent: {
    account_id: AccountId;
    message_id: string;
    chat_id: string;
    post_hash: Buffer;
    sent_at: Date;
    server_id: number | null;
    has_link_secret: Generated<boolean>;
  };
  message_secret_keys: { workspace_id: WorkspaceId; sealed: Buffer };
  whatsapp_numbers: { workspace_id: WorkspaceId; number: string; lid: string | null };
  whatsapp_uploads: {
    account_id: AccountId;
    sha256: Buffer;
    target: 'chats' | 'channels';
    message: Buffer;
    handle: string | null;
    uploaded_at: Date;
  };
}
