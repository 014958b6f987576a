/** Files that were uploaded to WhatsApp, for reuse. */
import { execute, readRow, type Connection } from '../../../platform/database/statements.ts';
import { decodeMessage, encodeMessage, type Message } from '../client/message.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** Files are encrypted for chats, and plain for channels. Pictures of link previews have keys and paths of their own. */
export type UploadTarget = 'chats' | 'channels' | 'chat cards' | 'channel cards';

export interface Uploaded {
  /** The message that shows it, without a caption. Of a link preview the part about its picture. */
  message: Message;
  /** For channels: the attribute `media_id` of the post. */
  handle: string | undefined;
}

export interface UploadKey {
  accountId: AccountId;
  sha256: Buffer;
  target: UploadTarget;
}

/** WhatsApp stores files for some weeks, and phones that were off download them late, so an upload is reused for a day only. */
const REUSED_HOURS = 24;

export async function findUpload(
  db: Connection,
  { accountId, sha256, target }: UploadKey,
): Promise<Uploaded | undefined> {
  const row = await readRow<{ message: Buffer; handle: string | null }>(db)`
    select message, handle from whatsapp_uploads
    where account_id = ${accountId} and sha256 = ${sha256} and target = ${target}
      and uploaded_at > campanile_now() - ${REUSED_HOURS} * interval '1 hour'`;
  return row && { message: decodeMessage(row.message), handle: row.handle ?? undefined };
}

export async function recordUpload(
  db: Connection,
  { accountId, sha256, target }: UploadKey,
  { message, handle }: Uploaded,
): Promise<void> {
  await execute(db)`
    insert into whatsapp_uploads (account_id, sha256, target, message, handle, uploaded_at)
    values (${accountId}, ${sha256}, ${target}, ${encodeMessage(message)}, ${handle ?? null}, campanile_now())
    on conflict (account_id, sha256, target) do update set
      message = excluded.message, handle = excluded.handle, uploaded_at = excluded.uploaded_at`;
}
