import { createLog } from '../../src/platform/log/log.ts';
import { startLoop } from '../../src/platform/concurrency/loop.ts';
import type {
  Destination,
  MemberEvent,
  RecordEvents,
  Messenger,
  MessengerAccount,
  MessengerGroup,
  MessengerSession,
  OnStateChange,
  Post,
  SendResult,
} from '../../src/messengers/messenger.ts';
import { openLine, type Line } from './line.ts';
import type { Chat } from './protocol.ts';
import { castVotes } from './votes.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

const REST_MS = 500;
const LOOK_MS = 250;
/** Every group has two members: the account itself and one recipient. */
const PARTICIPANTS = 2;

/** Returns a messenger that sends to the witness on `port`. `name` is configurable, because accounts are linked to the name of a messenger. */
export function witnessMessenger(name: string, port: number): Messenger {
  const line = openLine(port);
  const create = async (workspaceId: WorkspaceId, kind: Chat['kind'], title: string) => {
    await line.ready();
    return toGroup(await line.ask({ op: 'create', workspaceId, kind, name: title }));
  };
  const open = (
    { accountId, workspaceId }: MessengerAccount,
    onStateChange: OnStateChange,
  ): Promise<MessengerSession> => {
    const ended = Promise.withResolvers<void>();
    const onLoggedOut = () => {
      onStateChange({ status: 'logged_out', reason: 'The account was logged out' });
      ended.resolve();
    };
    return Promise.resolve({
      send: (post, to, mayGoOn) => sendAll({ line, accountId, onLoggedOut }, post, to, mayGoOn),
      async listGroups() {
        await line.ready();
        return { chats: (await line.ask({ op: 'list', workspaceId })).map(toGroup) };
      },
      fetchInviteLink: () => Promise.resolve(null),
      createGroup: (group) => create(workspaceId, 'group', group.name),
      createCommunity: (community) => create(workspaceId, 'community', community.name),
      createChannel: (channel) => create(workspaceId, 'channel', channel.name),
      unlink: () => Promise.resolve(true),
      ended: ended.promise,
      close: () => Promise.resolve(),
    });
  };
  return {
    name,
    open,
    link(account, _method, onStateChange) {
      onStateChange({ status: 'connected' });
      return open(account, onStateChange);
    },
    watchMembers(record) {
      const loop = startLoop(`members at the ${name}'s witness`, () => emitReceipts(line, record), {
        log: createLog('silent'),
      });
      return () => loop.stop();
    },
    forget: () => Promise.resolve(false),
    close: () => Promise.resolve(line.close()),
  };
}

interface Sending {
  line: Line;
  accountId: AccountId;
  onLoggedOut: () => void;
}

async function sendAll(
  sending: Sending,
  post: Post,
  to: readonly Destination[],
  mayGoOn: () => boolean,
): Promise<SendResult[]> {
  const results: SendResult[] = [];
  for (const one of to) results.push(await sendOne(sending, post, one, mayGoOn));
  return results;
}

async function sendOne(
  { line, accountId, onLoggedOut }: Sending,
  { text, extras }: Post,
  { chatId, messageId, uncertain }: Destination,
  mayGoOn: () => boolean,
): Promise<SendResult> {
  try {
    await line.ready();
  } catch {
    return { kind: 'offline', reason: 'the witness cannot be reached', cooldownMs: REST_MS };
  }
  // No await between this check and the write.
  if (!mayGoOn()) return { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 };
  const said = extras?.poll ? { text: extras.poll.question, isPoll: true } : { text };
  const asked = line.ask({ op: 'send', accountId, chatId, messageId, ...said, uncertain, pid: process.pid });
  return asked.then(
    (answer): SendResult => {
      if (answer.kind === 'sent') return { kind: 'sent', recipients: PARTICIPANTS - 1 };
      if (answer.kind === 'refused')
        return { kind: 'refused', reason: answer.final ? 'you are not a member' : 'try again', final: answer.final };
      onLoggedOut();
      return { kind: 'offline', reason: 'the account was logged out', cooldownMs: REST_MS };
    },
    (error: Error) => ({ kind: 'unknown', reason: error.message }),
  );
}

async function emitReceipts(line: Line, record: RecordEvents): Promise<number> {
  await line.ready();
  const { receipts, upTo } = await line.ask({ op: 'receipts' });
  if (receipts.length === 0) return LOOK_MS;
  await record(
    receipts.flatMap(({ accountId, messageId, atMs, isPoll }): MemberEvent[] => {
      const about = { accountId, messageId, at: new Date(atMs) };
      const votes = isPoll ? castVotes(messageId) : [];
      return [
        { ...about, kind: 'delivered', participant: 'a member' },
        ...votes.map(({ number, ...vote }) => ({
          ...about,
          ...vote,
          kind: 'voted' as const,
          votedMs: Math.floor(atMs) + number,
        })),
      ];
    }),
  );
  await line.ask({ op: 'recorded', upTo });
  return 0;
}

function toGroup({ chatId, kind, name }: Chat): MessengerGroup {
  return {
    chatId,
    sendTo: chatId,
    kind,
    name,
    participants: kind === 'channel' ? PARTICIPANTS - 1 : PARTICIPANTS,
    inviteLink: null,
    canSend: true,
    createdAt: new Date(),
  };
}
