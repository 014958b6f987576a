import type {
  Destination,
  MemberEvent,
  Messenger,
  MessengerGroup,
  MessengerSession,
  Post,
  PostChange,
  RecordEvents,
  RevisionResult,
  SendResult,
  SentPost,
} from '../../src/messengers/messenger.ts';
import { sendUnlessThere } from '../../src/messengers/send-unless-there.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

/** One thing that was sent, in the order it arrived. */
export interface Arrival {
  /** The account that sent it. */
  accountId: AccountId;
  chatId: string;
  messageId: string;
  text: string;
  uncertain: boolean;
  /** Whether everybody is mentioned. */
  mentionAll: boolean;
  /** The id of the post that it quotes. */
  quoted: string | undefined;
  /** What that says. */
  quotedText: string | undefined;
  /** By the process's monotonic clock, in milliseconds. */
  atMs: number;
}

/** A messenger that records every post and answers as scripted. It drops nothing: a post sent twice is recorded twice. */
export interface ScriptedMessenger extends Messenger {
  arrivals: Arrival[];
  /** The groups of an account; none unless set. */
  list: (accountId: AccountId) => MessengerGroup[];
  /** Called before the groups of an account are listed; undefined: nothing happens. */
  onList?: (accountId: AccountId) => Promise<void>;
  /** Sets the outcome of each post; undefined: two other people receive it. */
  answer: (to: Destination, post: Post, accountId: AccountId) => SendResult | Promise<SendResult> | undefined;
  /** Changed posts, in order, with their new text. */
  changes: Array<{ accountId: AccountId; kind: PostChange['kind']; messageId: string; text: string; atMs: number }>;
  /** Sets the outcome of each change; undefined: it succeeds. */
  answerChange: (
    change: PostChange,
    post: SentPost,
    accountId: AccountId,
  ) => RevisionResult | Promise<RevisionResult> | undefined;
  /** Set: repeated ids are not dropped, and this is how a chat's recent posts are searched for one. */
  find?: (to: Destination) => Promise<{ recipients: number } | null>;
  /** Reports receipts and reactions of members to the worker. */
  emit(events: MemberEvent[]): Promise<void>;
}

const NO_LEASE = { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 } as const;

/** Its name is `sandbox`, because new accounts are linked to that messenger. */
export function scriptMessenger(): ScriptedMessenger {
  let record: RecordEvents = () => Promise.reject(new Error('nobody watches the members'));
  async function sendOne(accountId: AccountId, to: Destination, post: Post): Promise<SendResult> {
    const result = (await messenger.answer(to, post, accountId)) ?? { kind: 'sent', recipients: 2 };
    if (result.kind === 'sent' || result.kind === 'unknown')
      messenger.arrivals.push({
        accountId,
        chatId: to.chatId,
        messageId: to.messageId,
        text: post.text,
        uncertain: to.uncertain,
        mentionAll: to.mentionAll ?? false,
        quoted: to.quote?.messageId,
        quotedText: to.quote?.text,
        atMs: performance.now(),
      });
    return result;
  }
  const sessionOf = (accountId: AccountId): MessengerSession => ({
    async send(post, to, mayGoOn) {
      const results: SendResult[] = [];
      for (const one of to) {
        if (!mayGoOn()) {
          results.push(NO_LEASE);
          continue;
        }
        const { find } = messenger;
        const transmit = () => sendOne(accountId, one, post);
        results.push(await (find ? sendUnlessThere(one, { send: transmit, find: () => find(one) }) : transmit()));
      }
      return results;
    },
    async revise(change, posts, mayGoOn) {
      const results: RevisionResult[] = [];
      for (const post of posts) {
        if (!mayGoOn()) {
          results.push(NO_LEASE);
          continue;
        }
        const result = (await messenger.answerChange(change, post, accountId)) ?? { kind: 'done' };
        const text = change.kind === 'correct' ? change.post.text : '';
        const { messageId } = post;
        if (result.kind === 'done')
          messenger.changes.push({ accountId, kind: change.kind, messageId, text, atMs: performance.now() });
        results.push(result);
      }
      return results;
    },
    async listGroups() {
      await messenger.onList?.(accountId);
      return { chats: messenger.list(accountId) };
    },
    fetchInviteLink: () => Promise.resolve(null),
    createGroup: () => Promise.reject(new Error('not part of this script')),
    createCommunity: () => Promise.reject(new Error('not part of this script')),
    createChannel: () => Promise.reject(new Error('not part of this script')),
    unlink: () => Promise.resolve(true),
    ended: new Promise(() => {}),
    close: () => Promise.resolve(),
  });
  const messenger: ScriptedMessenger = {
    name: 'sandbox',
    arrivals: [],
    list: () => [],
    answer: () => undefined,
    changes: [],
    answerChange: () => undefined,
    async emit(events) {
      await record(events);
    },
    open: ({ accountId }) => Promise.resolve(sessionOf(accountId)),
    link({ accountId }, _method, onStateChange) {
      onStateChange({ status: 'connected' });
      return Promise.resolve(sessionOf(accountId));
    },
    forget: () => Promise.resolve(false),
    watchMembers(recordEvents) {
      record = recordEvents;
      return () => Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return messenger;
}
