import type {
  Destination,
  Messenger,
  MessengerAccount,
  MessengerGroup,
  MessengerSession,
  Post,
  SendResult,
} from '../../src/messengers/messenger.ts';
import { openLine, type Line } from './line.ts';
import type { Chat } from './protocol.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

const REST_MS = 500;
/** Every group has two members: the account itself and one recipient. */
const PARTICIPANTS = 2;

/** Returns a messenger that sends to the witness on `port`. `name` is configurable, because accounts are linked to the name of a messenger. */
export function witnessMessenger(name: string, port: number): Messenger {
  const line = openLine(port);
  const create = async (workspaceId: WorkspaceId, kind: Chat['kind'], title: string) => {
    await line.ready();
    return toGroup(await line.ask({ op: 'create', workspaceId, kind, name: title }));
  };
  const open = ({ accountId, workspaceId }: MessengerAccount): Promise<MessengerSession> => {
    const ended = Promise.withResolvers<void>();
    return Promise.resolve({
      send: (post, to, mayGoOn) => sendAll({ line, accountId }, post, to, mayGoOn),
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
      return open(account);
    },
    watchMembers: () => () => Promise.resolve(),
    forget: () => Promise.resolve(false),
    close: () => Promise.resolve(line.close()),
  };
}

interface Sending {
  line: Line;
  accountId: AccountId;
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
  { line, accountId }: Sending,
  { text }: Post,
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
  const asked = line.ask({ op: 'send', accountId, chatId, messageId, text, uncertain, pid: process.pid });
  return asked.then(
    (answer): SendResult =>
      answer.kind === 'sent'
        ? { kind: 'sent', recipients: PARTICIPANTS - 1 }
        : { kind: 'refused', reason: answer.final ? 'you are not a member' : 'try again', final: answer.final },
    (error: Error) => ({ kind: 'unknown', reason: error.message }),
  );
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
