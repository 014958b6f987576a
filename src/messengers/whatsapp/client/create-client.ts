import type { ConnectionState, WASocket } from 'baileys';
import type { Client, PendingAck } from './client.ts';
import { isTimeout, NoAnswerError, rejecting } from './errors.ts';
import { interceptMessages } from './intercept-messages.ts';
import { interceptStanzas } from './intercept-stanzas.ts';
import { createLidMappings } from './lid-mappings.ts';
import type { Node } from './node.ts';
import { findToken, type PrivacyTokens } from './privacy-tokens.ts';
import { requestPairingCode } from './request-pairing-code.ts';
import { createSignal } from './signal.ts';

/** The server has a JID without a user. */
const SERVER = '@s.whatsapp.net';

export function createClient(socket: WASocket, tokens: PrivacyTokens): Client {
  const { authState, ws, ev } = socket;
  return {
    get me() {
      return authState.creds.me;
    },
    get isOpen() {
      return ws.isOpen;
    },
    noiseKey: authState.creds.noiseKey.private,
    signal: createSignal(socket),
    lids: createLidMappings(authState.keys, socket.signalRepository),
    findPrivacyToken: (ids) => findToken(tokens, ids),
    async query({ content, to = SERVER, ...attrs }, timeoutMs) {
      const asked = socket.query({ tag: 'iq', attrs: { ...attrs, to }, content }, timeoutMs);
      const answer: Node | undefined = await rejecting(asked).catch((error: unknown) => {
        if (isTimeout(error)) return undefined;
        throw error;
      });
      // In place of an answer the library resolves to nothing, or times out.
      if (answer === undefined) throw new NoAnswerError();
      return answer;
    },
    sendNode: socket.sendNode,
    acknowledge: (stanza) => socket.sendMessageAck(stanza),
    awaitAck: (messageId) => awaitAck(socket, messageId),
    createTag: socket.generateMessageTag,
    onStanza({ tag, type, child }, listener) {
      ws.on(
        `CB:${tag}${type === undefined ? '' : `,type:${type}`}${child === undefined ? '' : `,,${child}`}`,
        listener,
      );
    },
    interceptStanzas: (tag, handle) => interceptStanzas(socket, tag, handle),
    interceptMessages: (handle) => interceptMessages(socket, handle),
    onGroups: (listener) => ev.on('groups.update', listener),
    fetchGroups: async () => Object.values(await rejecting(socket.groupFetchAllParticipating())),
    fetchGroup: (chatId) => rejecting(socket.groupMetadata(chatId)),
    async fetchLinkedGroups(communityId) {
      const { linkedGroups } = await rejecting(socket.communityFetchLinkedGroups(communityId));
      return linkedGroups.flatMap(({ id }) => id ?? []);
    },
    fetchInviteCode: (chatId) => rejecting(socket.groupInviteCode(chatId)),
    requestPairingCode: (phoneNumber) => requestPairingCode(socket, phoneNumber),
    async requestRestriction() {
      await socket.fetchAccountReachoutTimelock();
    },
  };
}

function awaitAck({ ws, ev }: WASocket, messageId: string): PendingAck {
  const { promise, resolve } = Promise.withResolvers<Node | undefined>();
  const event = `TAG:${messageId}`;
  const onNode = (node: Node) => {
    if (node.tag === 'ack') resolve(node);
  };
  const onUpdate = ({ connection }: Partial<ConnectionState>) => {
    if (connection === 'close') resolve(undefined);
  };
  ws.on(event, onNode);
  ev.on('connection.update', onUpdate);
  return {
    async within(ms) {
      const limit = Promise.withResolvers<undefined>();
      const timer = setTimeout(limit.resolve, ms, undefined);
      const answer = await Promise.race([promise, limit.promise]);
      clearTimeout(timer);
      return answer;
    },
    stop() {
      ws.off(event, onNode);
      ev.off('connection.update', onUpdate);
    },
  };
}
