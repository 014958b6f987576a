/** JIDs, WhatsApp's addresses of people, devices and chats: `user@server` and `user:device@server`. */

export type Jid = string;

export interface JidParts {
  user: string;
  server: string;
  /** Undefined for a person or a chat, and for a phone. */
  device: number | undefined;
}

export function parseJid(jid: Jid | undefined): JidParts | undefined {
  const [, name, server] = /^([^@]*)@(.*)$/.exec(jid ?? '') ?? [];
  if (name === undefined || server === undefined) return undefined;
  const [userAndAgent = '', device] = name.split(':');
  const [user = ''] = userAndAgent.split('_');
  return { user, server, device: device ? Number(device) : undefined };
}

/** Device 0, the phone, is not written. */
export function toJid(user: string, server: string, device?: number): Jid {
  return `${user}${device ? `:${device}` : ''}@${server}`;
}

/** The JID in the spelling that devices are compared by. Undefined if it is none. */
export function normalizeDevice(jid: Jid | undefined): Jid | undefined {
  const parts = parseJid(jid);
  return parts && toJid(parts.user, parts.server, parts.device);
}

/** The JID of the person whose device this is; empty for what is no JID. */
export function userJidOf(jid: Jid | undefined): Jid {
  const parts = parseJid(jid);
  return parts ? toJid(parts.user, parts.server === 'c.us' ? 's.whatsapp.net' : parts.server) : '';
}

export const isGroup = (jid: Jid): boolean => jid.endsWith('@g.us');
export const isChannel = (jid: Jid): boolean => jid.endsWith('@newsletter');

/** The user in this JID if it is on this server. */
export function userOn(server: string, jid: Jid | undefined): string | undefined {
  const parts = parseJid(jid);
  return parts?.server === server ? parts.user : undefined;
}
