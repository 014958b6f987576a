/** Votes and answers in messages of a group, as events. */
import type { MemberEvent } from '../../messenger.ts';
import { isGroup } from '../client/jid.ts';
import type { Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { decryptVote, isVote, type Vote } from './decrypt-vote.ts';
import { completeIds, identify, type Known } from './identify.ts';
import type { Decrypt } from './open-sealed.ts';
import { readIds } from './participants.ts';
import { idsOf, instantOf, isMessageId } from './read-member-actions.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/**
 * Returns the vote in a message; none for any other message. Votes of the account's own phone count too, as they do on the phones of all
 * members.
 */
export async function readVote(
  known: Known & { accountId: AccountId },
  decrypt: Decrypt,
  { attrs }: Node,
  message: Message,
): Promise<MemberEvent[]> {
  const { from: chatId = '', participant, t } = attrs;
  const named = readIds(idsOf(participant, attrs));
  if (!isGroup(chatId) || !named || !isVote(message)) return [];
  const person = await identify(known, chatId, named);
  const { number } = await completeIds(known, chatId, named);
  const vote = await decryptVote(decrypt, message);
  if (!vote || !isMessageId(vote.messageId)) return [];
  const at = instantOf(t);
  const { messageId, choices } = vote;
  const voter = number ?? person.participant;
  const { accountId } = known;
  return [{ kind: 'voted', accountId, messageId, ...person, voter, choices, votedMs: votedMsOf(vote, at), at }];
}

const AHEAD_MS = 10 * 60_000;

/** The clock of a phone that is ahead must not make its vote the newest for ever. */
function votedMsOf({ votedMs }: Vote, at: Date): number {
  return votedMs !== undefined && votedMs <= at.getTime() + AHEAD_MS ? votedMs : at.getTime();
}
