/** History sync: a phone sends earlier conversations to a new device, inline or as a file at the media host. */
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { proto } from 'baileys';
import type { Upload } from './media-host.ts';
import { tellDevice } from './private-chats.ts';
import type { Stanza } from './stanza.ts';
import { lidOf, numberOf, type Companion, type Person } from './world.ts';

const { INITIAL_BOOTSTRAP } = proto.Message.HistorySyncType;
const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type;

export interface ToldHistory {
  syncType: proto.Message.HistorySyncType;
  /** The people whose number and LID it contains. */
  people: readonly Person[];
  /** The messages to the first of them. */
  said?: string;
  /** The media host for its file. */
  uploads: Upload[];
}

/** Resolves to the location of its file when the device has acknowledged it. */
export async function tellHistory(
  device: Companion,
  { syncType, people, said, uploads }: ToldHistory,
): Promise<{ answer: Stanza; directPath: string }> {
  const [friend] = people;
  const history: proto.IHistorySync = {
    syncType: Number(syncType),
    phoneNumberToLidMappings: people.map((person) => ({ pnJid: numberOf(person), lidJid: lidOf(person) })),
    conversations: friend && said !== undefined ? [conversation(friend, said)] : [],
  };
  const packed = deflateSync(proto.HistorySync.encode(history).finish());
  const isInline = syncType === INITIAL_BOOTSTRAP;
  const file = isInline ? undefined : encrypt(packed, uploads.length);
  if (file) uploads.push(file.upload);
  const notification = { syncType, ...(isInline ? { initialHistBootstrapInlinePayload: packed } : file?.described) };
  const message = { type: HISTORY_SYNC_NOTIFICATION, historySyncNotification: notification };
  return { answer: await tellDevice(device, message), directPath: file?.upload.directPath ?? '' };
}

function conversation(friend: Person, said: string): proto.IConversation {
  const key = { remoteJid: lidOf(friend), fromMe: false, id: randomBytes(8).toString('hex') };
  const at = Math.floor(Date.now() / 1_000);
  return {
    id: lidOf(friend),
    tcToken: randomBytes(16),
    tcTokenTimestamp: at,
    messages: [{ message: { key, message: { conversation: said }, messageTimestamp: at } }],
  };
}

function encrypt(packed: Buffer, number: number) {
  const mediaKey = randomBytes(32);
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(32), 'WhatsApp History Keys', 112));
  const iv = expanded.subarray(0, 16);
  const cipher = createCipheriv('aes-256-cbc', expanded.subarray(16, 48), iv);
  const body = Buffer.concat([cipher.update(packed), cipher.final()]);
  const mac = createHmac('sha256', expanded.subarray(48, 80)).update(iv).update(body).digest().subarray(0, 10);
  const bytes = Buffer.concat([body, mac]);
  const directPath = `/v/history-${number}`;
  const hash = (what: Buffer) => createHash('sha256').update(what).digest();
  const described = {
    mediaKey,
    directPath,
    fileSha256: hash(packed),
    fileEncSha256: hash(bytes),
    fileLength: packed.length,
  };
  return { described, upload: { place: 'chats', kind: 'document', bytes, directPath, handle: '' } satisfies Upload };
}
