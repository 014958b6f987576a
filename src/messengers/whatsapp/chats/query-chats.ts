/** Lists and creates chats, and turns WhatsApp's rejections into errors for the user. */
import { AppError } from '../../../platform/errors/errors.ts';
import type { MessengerSession } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import type { Connection } from '../connect/connection.ts';
import type { Cooldown } from '../connect/cooldown.ts';
import { classifyRejection, REACHOUT_LOCKED } from '../failures.ts';
import { toChannelPicture } from '../../../content/media/pictures.ts';
import type { ChannelQueries } from './channels.ts';
import { createCommunityChats, createGroupChat } from './create-chats.ts';
import { fetchInviteLink, listGroupChats } from './groups.ts';

interface QueryContext {
  accountId: number;
  connection: Pick<Connection, 'requireOnline'>;
  cooldown: Pick<Cooldown, 'begin'>;
  /** As `Sending.warn`. */
  warn(): void;
  channels: ChannelQueries;
}

type ChatQuestions = Pick<
  MessengerSession,
  'listGroups' | 'createGroup' | 'createCommunity' | 'createChannel' | 'fetchInviteLink'
>;

export function queryChats(context: QueryContext): ChatQuestions {
  const { channels } = context;
  return {
    listGroups: (knownChannels) =>
      ask(context, 'to read your groups', async (client) => {
        const groups = await listGroupChats(client);
        const { channels: found, failure } = await channels.list(client, knownChannels);
        restIfAsked(failure, context);
        return { chats: [...groups, ...found], areChannelsUnread: failure !== undefined };
      }),
    fetchInviteLink: (chatId) => ask(context, 'for the invite link', (client) => fetchInviteLink(client, chatId)),
    createGroup: (group) => ask(context, 'to create the group', (client) => createGroupChat(client, group)),
    createCommunity: (community) =>
      ask(context, 'to create the community', async (client) => {
        const created = await createCommunityChats(client, community);
        if (created) return created;
        const message = 'WhatsApp did not say whether the community was created: sync your groups to see';
        throw new AppError('outcome_unknown', message, { retryAfterSeconds: 5, outcomeUnknown: true });
      }),
    async createChannel(channel) {
      const { picture: bytes } = channel;
      // Before any query, so that nothing is created when the picture is unreadable.
      const picture =
        bytes && (await toChannelPicture({ field: 'image', bytes, party: [`account ${context.accountId}`] }));
      return ask(context, 'to create the channel', (client) => channels.create(client, { ...channel, picture }));
    },
  };
}

/** A rejected request had no effect. One without an answer may have had: `outcome_unknown`. */
async function ask<Answer>(
  context: QueryContext,
  what: string,
  act: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = context.connection.requireOnline();
  try {
    return await act(client);
  } catch (error) {
    throw error instanceof AppError ? error : toAppError(what, error, context);
  }
}

/** Begins the pause that a rejection asks for. Returns the rejection; undefined for another error. */
function restIfAsked(error: unknown, { cooldown, warn }: Pick<QueryContext, 'cooldown' | 'warn'>) {
  const code = rejectionCodeOf(error);
  if (code === undefined) return undefined;
  const refusal = classifyRejection(code);
  if (code === REACHOUT_LOCKED) warn();
  else if (refusal.kind === 'cooldown') cooldown.begin(refusal);
  return { code, kind: refusal.kind };
}

function toAppError(what: string, error: unknown, context: QueryContext): AppError {
  const rejection = restIfAsked(error, context);
  if (rejection === undefined) {
    const message = `WhatsApp was asked ${what} and has not answered: sync your groups to see what exists`;
    return new AppError('outcome_unknown', message, { retryAfterSeconds: 5, outcomeUnknown: true, cause: error });
  }
  const errorCode = rejection.kind === 'final' ? 'messenger_refused' : 'messenger_unavailable';
  return new AppError(errorCode, `WhatsApp refused ${what} (${rejection.code})`, {
    cause: error,
    retryAfterSeconds: 5,
  });
}
