/** The dependencies of a change of posts. */
import type { AccountId } from '../../../platform/database/schema.ts';
import type { SentPost } from '../../messenger.ts';
import type { Ids } from '../inbound/participants.ts';
import type { Sending } from './sending.ts';

export interface Revising extends Sending {
  /** The stored message with this id; undefined if it is too old. */
  findMessage(post: SentPost): Promise<Buffer | undefined>;
  /** Those of these messages of the account that sent the post that are stored, in the given order. */
  findStored(messageIds: readonly string[]): Promise<string[]>;
  /** The ids of the number that an account of the workspace has sent with. */
  findNumberOf(accountId: AccountId): Promise<Ids | undefined>;
}
