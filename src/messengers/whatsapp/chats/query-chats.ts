/** Lists and creates chats, and turns WhatsApp's rejections into errors for the user. */
import { AppError, invalid } from '../../../platform/errors/errors.ts';
import type { MessengerSession } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import type { Connection } from '../connect/connection.ts';
import type { Cooldown } from '../connect/cooldown.ts';
import { classifyRejection } from '../failures.ts';
import { toChannelPicture } from '../files/pictures.ts';
import type { ChannelQueries } from './channels.ts';
import { createCommunityChats, createGroupChat } from './create-chats.ts';
import { fetchInviteLink, listGroupChats } from './groups.ts';

interface QueryContext {
  connection: Pick<Connection, 'requireOnline'>;
  cooldown: Pick<Cooldown, 'begin'>;
  channels: ChannelQueries;
}

type ChatQuestions = Pick<
  MessengerSession,
  'listGroups' | 'createGroup' | 'createCommunity' | 'createChannel' | 'fetchInviteLink'
>;

export function queryChats(context: QueryContext): ChatQuestions {
  const { channels, cooldown } = context;
  return {
    listGroups: (knownChannels) =>
      ask(context, 'to read your groups', async (client) => {
        const groups = await listGroupChats(client);
        const { channels: found, failure } = await channels.list(client, knownChannels);
        restIfAsked(failure, cooldown);
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
      // Before any query, so that nothing is created when the picture is unreadable.
      const picture = channel.picture && (await toChannelPicture(channel.picture));
      if (picture === undefined)
        throw invalid([{ field: 'image', issue: 'cannot be read as a picture, or is too large to be made one' }]);
      return ask(context, 'to create the channel', (client) => channels.create(client, { ...channel, picture }));
    },
  };
}

/** A rejected request had no effect. One without an answer may have had: `outcome_unknown`. */
async function ask<Answer>(
  { connection, cooldown }: QueryContext,
  what: string,
  act: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = connection.requireOnline();
  try {
    return await act(client);
  } catch (error) {
    throw error instanceof AppError ? error : toAppError(what, error, cooldown);
  }
}

function restIfAsked(error: unknown, cooldown: Pick<Cooldown, 'begin'>): void {
  const code = rejectionCodeOf(error);
  const refusal = code === undefined ? undefined : classifyRejection(code);
  if (refusal?.kind === 'cooldown') cooldown.begin(refusal);
}

function toAppError(what: string, error: unknown, cooldown: Pick<Cooldown, 'begin'>): AppError {
  const code = rejectionCodeOf(error);
  if (code === undefined) {
    const message = `WhatsApp was asked ${what} and has not answered: sync your groups to see what exists`;
    return new AppError('outcome_unknown', message, { retryAfterSeconds: 5, outcomeUnknown: true, cause: error });
  }
  restIfAsked(error, cooldown);
  const refusal = classifyRejection(code);
  const errorCode = refusal.kind === 'final' ? 'messenger_refused' : 'messenger_unavailable';
  return new AppError(errorCode, `WhatsApp refused ${what} (${code})`, { cause: error, retryAfterSeconds: 5 });
}
