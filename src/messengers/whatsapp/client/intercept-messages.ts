import { unpadRandomMax16, type WASocket } from 'baileys';
import { decodeMessage, type Message } from './message.ts';
import { allChildrenOf, type Node } from './node.ts';

type Decrypt<About> = (about: About) => Promise<Uint8Array>;

/** As `Client.interceptMessages`: wraps the functions that decrypt, since the library acknowledges a message after them. */
export function interceptMessages(
  { ws, authState, signalRepository }: WASocket,
  handle: (stanza: Node, message: Message) => Promise<void>,
): void {
  /** By the ciphertexts in them. */
  const stanzas = new WeakMap<object, Node>();
  ws.prependListener('CB:message', (stanza: Node) => {
    for (const { content } of allChildrenOf(stanza)) if (content instanceof Uint8Array) stanzas.set(content, stanza);
  });
  const wrap = <About>(decrypt: Decrypt<About>, read: (about: About) => { key: string; ciphertext: Uint8Array }) => {
    return async (about: About) => {
      const { key, ciphertext } = read(about);
      const stanza = stanzas.get(ciphertext);
      if (!stanza) return decrypt(about);
      return authState.keys.transaction(async () => {
        const padded = await decrypt(about);
        await handle(stanza, parse(padded));
        return padded;
      }, key);
    };
  };
  const { decryptGroupMessage, decryptMessage } = signalRepository;
  signalRepository.decryptGroupMessage = wrap(decryptGroupMessage, ({ group, msg }) => ({
    key: group,
    ciphertext: msg,
  }));
  signalRepository.decryptMessage = wrap(decryptMessage, ({ jid, ciphertext }) => ({ key: jid, ciphertext }));
}

function parse(padded: Uint8Array): Message {
  try {
    return decodeMessage(unpadRandomMax16(padded));
  } catch {
    // The library reports it.
    return {};
  }
}

/** As `Client.interceptStanzas`: takes the place of all listeners that there are, the library's own among them. */
export function interceptStanzas(
  { ws }: WASocket,
  tag: string,
  handle: (stanza: Node, pass: () => void) => void,
): void {
  const event = `CB:${tag}`;
  const listeners = ws.listeners(event) as Array<(stanza: Node) => unknown>;
  ws.removeAllListeners(event);
  ws.on(event, (stanza: Node) => handle(stanza, () => listeners.forEach((listener) => listener(stanza))));
}
