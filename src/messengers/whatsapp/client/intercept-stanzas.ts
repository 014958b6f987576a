import type { WASocket } from 'baileys';
import type { Node } from './node.ts';

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
