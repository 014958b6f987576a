/** Files that were uploaded to WhatsApp, kept for as long as they are used again. */
import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import { decodeMessage, encodeMessage, type Message } from '../client/message.ts';

/** Chats have files encrypted, channels as they are. */
export type UploadTarget = 'chats' | 'channels';

/** An uploaded file. */
export interface Uploaded {
  /** The message that shows it, without a caption. */
  message: Message;
  /** Of a channel: what a post says besides. */
  handle: string | undefined;
}

export interface UploadKey {
  accountId: number;
  sha256: Buffer;
  target: UploadTarget;
}

/**
 * How long WhatsApp keeps a file is not known, only that it is weeks, and phones that are off fetch it late. So an upload is used
 * for a day.
 */
const GOOD_FOR_HOURS = 24;

export async function findUpload(
  db: Connection,
  { accountId, sha256, target }: UploadKey,
): Promise<Uploaded | undefined> {
  const { rows } = await sql<{ message: Buffer; handle: string | null }>`
    select message, handle from whatsapp_uploads
    where account_id = ${accountId} and sha256 = ${sha256} and target = ${target}
      and uploaded_at > campanile_now() - ${GOOD_FOR_HOURS} * interval '1 hour'`.execute(db);
  const [row] = rows;
  return row && { message: decodeMessage(row.message), handle: row.handle ?? undefined };
}

export async function recordUpload(
  db: Connection,
  { accountId, sha256, target }: UploadKey,
  { message, handle }: Uploaded,
): Promise<void> {
  await sql`
    insert into whatsapp_uploads (account_id, sha256, target, message, handle, uploaded_at)
    values (${accountId}, ${sha256}, ${target}, ${encodeMessage(message)}, ${handle ?? null}, campanile_now())
    on conflict (account_id, sha256, target) do update set
      message = excluded.message, handle = excluded.handle, uploaded_at = excluded.uploaded_at`.execute(db);
}
