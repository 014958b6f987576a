import { getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode } from 'baileys';

/** A message after the handshake: an element with attributes and content. */
export type Stanza = BinaryNode;

export const SERVER = 's.whatsapp.net';

/** Builds an element; attributes that are undefined are left out. */
export function element(
  tag: string,
  attributes: Record<string, string | undefined> = {},
  content?: Stanza['content'],
): Stanza {
  const attrs = Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

export const child = (stanza: Stanza | undefined, tag: string): Stanza | undefined => getBinaryNodeChild(stanza, tag);
export const children = (stanza: Stanza | undefined, tag: string): Stanza[] => getBinaryNodeChildren(stanza, tag);

/** Returns a child that the protocol requires. */
export function need(stanza: Stanza | undefined, tag: string): Stanza {
  const found = child(stanza, tag);
  if (!found) throw new Error(`<${stanza?.tag ?? 'nothing'}> without <${tag}>`);
  return found;
}

export function elementsOf(stanza: Stanza | undefined): Stanza[] {
  return Array.isArray(stanza?.content) ? stanza.content : [];
}

/** Returns the tag of the first element in a query, which names the request. */
export function actionOf(query: Stanza): string {
  return elementsOf(query)[0]?.tag ?? '';
}

export function bytesOf(stanza: Stanza | undefined): Buffer {
  const content = stanza?.content;
  if (content === undefined || Array.isArray(content)) return Buffer.alloc(0);
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
}

export const textOf = (stanza: Stanza | undefined): string => bytesOf(stanza).toString();

/** Returns seconds since 1970, as the protocol writes instants. */
export const seconds = (): string => String(Math.floor(Date.now() / 1_000));
