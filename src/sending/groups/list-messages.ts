import { findOwnAccounts } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/statements.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { ArrivedMessage } from '../../content/post/arrived-message.ts';
import { requireSendTo } from './store.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** Reads what arrived in a chat of a workspace, from any of its accounts, oldest first, after the given place, with what was deleted if so asked. */
export type ReadMessages = (
  workspaceId: WorkspaceId,
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
 * that is not the workspace's and if no account of the workspace is on the sandbox.
 */
export async function listMessages(
  { db, readMessages }: ListMessagesDeps,
  { workspaceId }: Actor,
  { groupId, after, limit, withRecalled }: { groupId: number; after: number; limit: number; withRecalled: boolean },
): Promise<{ messages: ArrivedMessage[]; next: number | null }> {
  const accounts = await findOwnAccounts(db, workspaceId);
  const read = accounts.map(({ messenger }) => readMessages.get(messenger)).find((one) => one !== undefined);
  if (!read) throw new AppError('not_on_sandbox', 'Your account is not on the sandbox');
  const chatId = await requireSendTo(db, workspaceId, groupId);
  const found = await read(workspaceId, chatId, { after, limit: limit + 1, withRecalled });
  const messages = found.slice(0, limit);
  return { messages, next: found.length > limit ? (messages.at(-1)?.seq ?? null) : null };
}
