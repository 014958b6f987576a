/** The SQL of notices, as the person sees them. */
import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import type { Decision } from '../../workspaces/events/decisions.ts';
import type { WaitReason } from '../../workspaces/events/wait-reasons.ts';
import { NOTICE_KINDS, defaultPreferences, type NoticeKind, type NoticeChannels } from './kinds.ts';

export interface Notice {
  noticeId: number;
  kind: NoticeKind;
  at: Date;
  isRead: boolean;
  /** null: of version 0.1.0. */
  workspaceId: WorkspaceId | null;
  data: NoticeData;
}

/** The event's data that a notice needs. */
export interface NoticeData {
  campaign_id?: string;
  approval_id?: string;
  /** What became of the post that waited. */
  decision?: Decision;
  /** Of the account that the notice is about. */
  account_id?: AccountId;
  /** Of the campaign, of the post that waits or waited, or of the account; null: the account has none. */
  name?: string | null;
  /** Of the webhook. */
  url?: string;
  reason?: string | null;
  due_at?: string;
  last_good_at?: string | null;
  /** Since when the account cannot send. */
  down_since?: string;
  /** Why it cannot; absent in notices of earlier versions. */
  waits_for?: WaitReason;
  /** How many deliveries of the account were handed over. */
  handed_over?: number;
}

export async function readPreferences(db: Connection, userId: UserId): Promise<Record<NoticeKind, NoticeChannels>> {
  const rows = await readRows<NoticeChannels & { kind: string }>(db)`
    select kind, bell, browser, email from notice_choices where user_id = ${userId}`;
  const chosen = new Map(rows.map(({ kind, ...ways }) => [kind, ways]));
  return Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, chosen.get(kind) ?? defaultPreferences(kind)])) as Record<
    NoticeKind,
    NoticeChannels
  >;
}
