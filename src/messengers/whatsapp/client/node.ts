/** The binary XML that WhatsApp speaks: a stanza is a node with attributes, and child nodes or bytes. */

export interface Node {
  tag: string;
  attrs: Record<string, string>;
  content?: Node[] | string | Uint8Array;
}

/** The attributes of a node by which a listener picks stanzas. */
export interface StanzaPattern {
  tag: string;
  /** Its attribute `type`. */
  type?: string;
  /** The tag of its first child. */
  child?: string;
}

export function childrenOf(node: Node | undefined, tag: string): Node[] {
  return allChildrenOf(node).filter((child) => child.tag === tag);
}

export function childOf(node: Node | undefined, tag: string): Node | undefined {
  return allChildrenOf(node).find((child) => child.tag === tag);
}

export function allChildrenOf(node: Node | undefined): Node[] {
  return Array.isArray(node?.content) ? node.content : [];
}

export function bytesOf(node: Node | undefined): Buffer {
  const content = node?.content;
  return content === undefined || Array.isArray(content) ? Buffer.alloc(0) : Buffer.from(content);
}

export const textOf = (node: Node | undefined): string => bytesOf(node).toString();

/** The acknowledgement of a notification that arrives before the device has a number. */
export function notificationAck({ attrs: { id = '', from = '', type = '' } }: Node): Node {
  return { tag: 'ack', attrs: { id, to: from, class: 'notification', type } };
}
