/** The chats of the accounts at the messaging application of a simulated world. */
import type { MessengerGroup } from '../../src/messengers/messenger.ts';
import { pick } from '../../test/support/inputs/random.ts';
import type { History } from './history.ts';
import type { Membership } from './line.ts';

export interface Chats {
  /** Adds a chat that the account belongs to, unless it is `gone`. Of channels members are counted and never named. */
  add(accountId: number, chat: Pick<MessengerGroup, 'chatId' | 'kind' | 'name'>, membership?: Membership): void;
  /** Some account leaves a chat, is no longer allowed to post there, joins it or comes back. */
  changeMembership(): void;
  /** Whether the account may post there. */
  isMember(accountId: number, chatId: string): boolean;
  isChannel(accountId: number, chatId: string): boolean;
  /** Returns the chats that the account sees. */
  list(accountId: number): MessengerGroup[];
}

export function openChats(random: () => number, history: History): Chats {
  const chats = new Map<number, Map<string, { group: MessengerGroup; membership: Membership }>>();
  const find = (accountId: number, chatId: string) => chats.get(accountId)?.get(chatId);
  return {
    add(accountId, { chatId, kind, name }, membership = 'member') {
      const own = chats.getOrInsertComputed(accountId, () => new Map());
      const about = { participants: 3, inviteLink: null, canSend: true, createdAt: new Date() };
      own.set(chatId, { group: { chatId, sendTo: chatId, kind, name, ...about }, membership });
    },
    changeMembership() {
      const accountId = pick(random, [...chats.keys()]);
      const chatId = pick(random, [...(chats.get(accountId)?.keys() ?? [])]);
      const chat = find(accountId, chatId);
      if (!chat) return;
      chat.membership = chat.membership === 'member' ? pick(random, ['muted', 'gone'] as const) : 'member';
      history.add({ kind: 'membership', accountId, chatId, membership: chat.membership });
    },
    isMember: (accountId, chatId) => find(accountId, chatId)?.membership === 'member',
    isChannel: (accountId, chatId) => find(accountId, chatId)?.group.kind === 'channel',
    list(accountId) {
      const listed = [...(chats.get(accountId)?.values() ?? [])].flatMap(({ group, membership }) =>
        membership === 'gone' ? [] : [{ ...group, canSend: membership === 'member' }],
      );
      history.add({
        kind: 'listed',
        accountId,
        chats: listed.map(({ chatId, canSend }) => ({ chatId, canSend })),
      });
      return listed;
    },
  };
}
