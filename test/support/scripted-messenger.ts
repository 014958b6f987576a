import type {
  Destination,
  MemberEvent,
  Messenger,
  MessengerSession,
  Post,
  SendResult,
} from '../../src/messenger/messenger.ts';

/** One thing that was sent, in the order it arrived. */
export interface Arrival {
  chatId: string;
  messageId: string;
  text: string;
  uncertain: boolean;
  /** By the process's monotonic clock, in milliseconds. */
  atMs: number;
}

/** A messenger that notes what arrives, and answers as the test says. It drops nothing: what is sent twice is seen twice. */
export interface ScriptedMessenger extends Messenger {
  arrivals: Arrival[];
  /** What becomes of each post from now on; undefined: it arrives at two other people. */
  answer: (to: Destination, post: Post) => SendResult | Promise<SendResult> | undefined;
  /** Tells the worker what members did. */
  tell(events: MemberEvent[]): Promise<void>;
}

/** It calls itself the sandbox, which is what new accounts are linked to. */
export function scriptMessenger(): ScriptedMessenger {
  let record: (events: MemberEvent[]) => Promise<void> = () => Promise.reject(new Error('nobody watches the members'));
  const session: MessengerSession = {
    async send(post, to) {
      const results: SendResult[] = [];
      for (const one of to) {
        const result = (await messenger.answer(one, post)) ?? { kind: 'sent', recipients: 2 };
        if (result.kind === 'sent' || result.kind === 'unknown')
          messenger.arrivals.push({
            chatId: one.chatId,
            messageId: one.messageId,
            text: post.text,
            uncertain: one.uncertain,
            atMs: performance.now(),
          });
        results.push(result);
      }
      return results;
    },
    listGroups: () => Promise.resolve([]),
    createGroup: () => Promise.reject(new Error('not part of this script')),
    createCommunity: () => Promise.reject(new Error('not part of this script')),
    createChannel: () => Promise.reject(new Error('not part of this script')),
    unlink: () => Promise.resolve(),
    ended: new Promise(() => {}),
    close: () => Promise.resolve(),
  };
  const messenger: ScriptedMessenger = {
    name: 'sandbox',
    staysOpen: false,
    arrivals: [],
    answer: () => undefined,
    tell: (events) => record(events),
    open: () => Promise.resolve(session),
    link(_account, _method, tell) {
      tell({ status: 'connected' });
      return Promise.resolve(session);
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
