import type { ConnectionState, WASocket } from 'baileys';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { Client, PendingAck } from './client.ts';
import { createSignal } from './create-signal.ts';
import { isTimeout, NoAnswerError, rejecting, QueryRejectedError } from './errors.ts';
import { interceptMessages, interceptStanzas } from './intercept-messages.ts';
import { createLidMappings } from './lid-mappings.ts';
import { childOf, type Node } from './node.ts';
import { findPrivacyToken } from './privacy-tokens.ts';

/** The server has a JID without a user. */
const SERVER = '@s.whatsapp.net';

/** `onUnanswered`: as in `SocketOptions`. */
export function createClient(socket: WASocket, onUnanswered: () => void): Client {
  const { authState, ws } = socket;
  const closing = new AbortController();
  onClose(socket, () => closing.abort(new Error('the connection ended before a query was answered')));
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
    findPrivacyToken: (ids) => findPrivacyToken(authState.keys, ids),
    async query({ content, to = SERVER, ...attrs }, timeoutMs) {
      const asked = socket.query({ tag: 'iq', attrs: { ...attrs, to }, content }, timeoutMs);
      // The library goes on waiting for its answer when the connection has ended.
      const answer: Node | undefined = await unlessAborted(rejecting(asked), closing.signal).catch((error: unknown) => {
        if (isTimeout(error)) return undefined;
        throw error;
      });
      // In place of an answer the library resolves to nothing, or times out.
      if (answer !== undefined) return answer;
      onUnanswered();
      throw new NoAnswerError();
    },
    sendNode: socket.sendNode,
    acknowledge: (stanza) => socket.sendMessageAck(stanza),
    awaitAck: (messageId) => awaitAck(socket, messageId),
    createTag: socket.generateMessageTag,
    onStanza({ tag, type, child }, listener) {
      const events = [`CB:${tag}`, type === undefined ? '' : `type:${type}`, child ?? ''];
      ws.on(events.join(',').replace(/,+$/, ''), listener);
    },
    interceptStanzas: (tag, handle) => interceptStanzas(socket, tag, handle),
    interceptMessages: (handle) => interceptMessages(socket, handle),
    requestPairingCode: (phoneNumber) => requestPairingCode(socket, phoneNumber),
    async requestRestriction() {
      await socket.fetchAccountReachoutTimelock();
    },
  };
}

/** Returns a function that stops listening. */
function onClose({ ev }: WASocket, listener: () => void): () => void {
  const onUpdate = ({ connection }: Partial<ConnectionState>) => {
    if (connection === 'close') listener();
  };
  ev.on('connection.update', onUpdate);
  return () => ev.off('connection.update', onUpdate);
}

function awaitAck(socket: WASocket, messageId: string): PendingAck {
  const { ws } = socket;
  const { promise, resolve } = Promise.withResolvers<Node | undefined>();
  const event = `TAG:${messageId}`;
  const onNode = (node: Node) => {
    if (node.tag === 'ack') resolve(node);
  };
  ws.on(event, onNode);
  const stopListening = onClose(socket, () => resolve(undefined));
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
      stopListening();
    },
  };
}

const ANSWER_MS = 15_000;

/**
 * Requests a code to enter on the phone with this number (digits). Throws QueryRejectedError when WhatsApp gives none: the library
 * resolves when its request has left, and does not listen to the answer.
 */
async function requestPairingCode(socket: WASocket, phoneNumber: string): Promise<string> {
  const answer = socket.waitForMessage<Node>(tagAfter(socket.generateMessageTag()), ANSWER_MS);
  const [code, answered] = await Promise.all([socket.requestPairingCode(phoneNumber), answer]);
  if (!answered) throw new NoAnswerError();
  const error = childOf(answered, 'error');
  if (error) throw new QueryRejectedError(Number(error.attrs['code']), error.attrs['text'] ?? 'refused');
  return code;
}

/** The library numbers its stanzas, and tells nobody the number of this one. */
function tagAfter(tag: string): string {
  return tag.replace(/\d+$/, (number) => String(Number(number) + 1));
}
