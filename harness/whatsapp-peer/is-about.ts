import type { proto } from 'baileys';
import type { Arrival, PeerState } from './state.ts';
import { lidOf, numberOf, personOf } from './world.ts';

/**
 * Whether a phone applies a deletion, a correction or a pin that arrived: it has the post, which the sender has sent, or which an admin names
 * by the person who has.
 */
export function isAbout(
  { arrivals, world }: Pick<PeerState, 'arrivals' | 'world'>,
  { chatId, device, from }: Pick<Arrival, 'chatId' | 'device' | 'from'>,
  { id, fromMe, participant }: proto.IMessageKey,
): boolean {
  const post = arrivals.find((one) => one.chatId === chatId && one.device === device && one.messageId === id);
  const [author, sender] = [personOf(world, post?.from), personOf(world, from)];
  const group = world.groups.get(chatId);
  if (!author || !sender || !group) return false;
  if (fromMe) return author === sender;
  const named = group.addressing === 'pn' ? numberOf(author) : lidOf(author);
  return participant === named && group.participants.get(lidOf(sender)) !== 'member';
}
