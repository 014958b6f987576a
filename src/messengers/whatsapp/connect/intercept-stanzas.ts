import type { BinaryNode, WASocket } from 'baileys';

/**
 * Hears of stanzas in the place of all who listen for them already, the client among them: they hear of one when it is passed on.
 * Whoever asks last hears first.
 */
export function interceptStanzas(
  { ws }: WASocket,
  event: string,
  handle: (stanza: BinaryNode, pass: () => void) => void,
): void {
  const listeners = ws.listeners(event) as Array<(stanza: BinaryNode) => unknown>;
  ws.removeAllListeners(event);
  ws.on(event, (stanza: BinaryNode) => handle(stanza, () => listeners.forEach((listener) => listener(stanza))));
}
