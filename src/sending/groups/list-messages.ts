import { findOwnAccount } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { findSendTo } from './store.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/** A post as a member of the group sees it. */
export interface ArrivedMessage {
  /** Its place in the group; rises with time. */
  seq: number;
  messageId: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
  /** All files, if there are several, or the one is a document, which has a name. */
  files?: ArrivedFile[] | undefined;
  /** The poll or event in it. */
  ballot: Pick<PostExtras, 'poll' | 'event'> | null;
  /** Of a link in the text. */
  card: {
    url: string;
    title: string;
    description: string;
    picture: { mime: string; size: number; sha256: string } | null;
  } | null;
  sentAt: Date;
  /** Deleted for everyone: `text` and `media` are gone. */
  recalledAt: Date | null;
  /** When it was last edited. */
  correctedAt: Date | null;
  /** Everybody in the group was mentioned. */
  mentionsAll: boolean;
  /** The id of the post that it quotes. */
  quotedMessageId: string | null;
  /** null: it is not pinned. */
  pinnedUntil: Date | null;
}

export interface ArrivedFile {
  mime: string;
  size: number;
  sha256: string;
  fileName: string;
  /** Of its own; undefined: the text of the post for the first file, none for the others. */
  caption?: string | undefined;
}

/** Reads what arrived in a chat, oldest first, after the given place, with what was deleted if so asked. */
export type ReadMessages = (
  accountId: number,
  chatId: string,
  page: { after: number; limit: number; withRecalled: boolean },
) => Promise<ArrivedMessage[]>;

export interface ListMessagesDeps {
  db: Database;
  /** By the name of each messenger that lets one look: the sandbox. */
  readMessages: ReadonlyMap<string, ReadMessages>;
}

/**
 * What the members of one of the workspace's sandbox groups see (contract §4, sandbox/list-messages), `limit` at most. 404 for a group
 * that is not the workspace's and for an account that is not on the sandbox.
 */
export async function listMessages(
  { db, readMessages }: ListMessagesDeps,
  { workspaceId }: Actor,
  { groupId, after, limit, withRecalled }: { groupId: number; after: number; limit: number; withRecalled: boolean },
): Promise<{ messages: ArrivedMessage[]; next: number | null }> {
  const account = await findOwnAccount(db, workspaceId);
  const read = readMessages.get(account.messenger);
  if (!read) throw new AppError('not_on_sandbox', 'Your account is not on the sandbox');
  const chatId = await findSendTo(db, account.accountId, groupId);
  if (chatId === undefined)
    throw new AppError('group_not_found', 'You have no group with this id', {
      details: [fieldError('group_metadata_id', 'unknown_id', { of: 'groups' })],
    });
  const found = await read(account.accountId, chatId, { after, limit: limit + 1, withRecalled });
  const messages = found.slice(0, limit);
  return { messages, next: found.length > limit ? (messages.at(-1)?.seq ?? null) : null };
}
