/** The reporting token of a message, derived independently of the client's library. */
import { createHmac } from 'node:crypto';
import { proto } from 'baileys';

/** The fields of a message that the token covers, by number; those of a nested message by its own fields. */
type Fields = ReadonlyMap<number, Fields | 'whole'>;

const FORWARDING: Fields = new Map([
  [21, 'whole'],
  [22, 'whole'],
]);
const fields = (whole: readonly number[], nested: ReadonlyArray<[number, Fields]> = []): Fields =>
  new Map<number, Fields | 'whole'>([...whole.map((number): [number, 'whole'] => [number, 'whole']), ...nested]);
/** A poll: its question and options, and the right answer of a quiz. */
const POLL: Fields = fields(
  [2],
  [
    [3, fields([1, 2])],
    [5, FORWARDING],
    [8, fields([1, 2])],
  ],
);
/** Of the kinds of messages that the service sends (whatsmeow, reportingfields.json). */
const MESSAGE: Fields = fields(
  [1],
  [
    [3, fields([2, 3, 8, 11, 25], [[17, FORWARDING]])],
    [6, fields([1, 30], [[17, FORWARDING]])],
    [7, fields([2, 7, 10, 20], [[17, FORWARDING]])],
    [8, fields([2, 7, 9, 21], [[17, FORWARDING]])],
    [9, fields([2, 6, 7, 13, 20], [[17, FORWARDING]])],
    [12, fields([1, 2, 15], [[14, new Map()]])],
    [49, POLL],
    [60, POLL],
    [64, POLL],
  ],
);

/** The 16 bytes of the token of an unpadded message. */
export function deriveReportingToken(
  message: proto.IMessage,
  { messageId, author, chatId }: { messageId: string; author: string; chatId: string },
): Buffer {
  const secret = message.messageContextInfo?.messageSecret ?? new Uint8Array();
  const info = `${messageId}${author}${chatId}Report Token`;
  // HKDF (RFC 5869): extract with a salt of zeros, then one block of expand, since 32 bytes are needed.
  const pseudoRandomKey = createHmac('sha256', Buffer.alloc(32)).update(secret).digest();
  const key = createHmac('sha256', pseudoRandomKey).update(`${info}\u0001`).digest();
  const covered = pick(Buffer.from(proto.Message.encode(message).finish()), MESSAGE);
  return createHmac('sha256', key).update(covered).digest().subarray(0, 16);
}

/** The covered fields of an encoded message, in the order of their numbers. */
function pick(bytes: Buffer, covered: Fields): Buffer {
  const picked: Array<{ number: number; bytes: Buffer }> = [];
  for (let at = 0; at < bytes.length;) {
    const start = at;
    const tag = readVarint(bytes, at);
    const number = tag.value >> 3;
    const kind = tag.value & 7;
    const length = kind === 2 ? readVarint(bytes, tag.end) : undefined;
    const body = length?.end ?? tag.end;
    if (kind === 0) at = readVarint(bytes, tag.end).end;
    else if (length) at = body + length.value;
    else at = body + (kind === 1 ? 8 : 4);
    const field = covered.get(number);
    if (field === 'whole') picked.push({ number, bytes: bytes.subarray(start, at) });
    if (field === undefined || field === 'whole') continue;
    const nested = pick(bytes.subarray(body, at), field);
    if (nested.length > 0)
      picked.push({ number, bytes: Buffer.concat([writeVarint(tag.value), writeVarint(nested.length), nested]) });
  }
  return Buffer.concat(picked.toSorted((a, b) => a.number - b.number).map((one) => one.bytes));
}

function readVarint(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  let at = from;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes.readUInt8(at++);
    value += (byte % 128) * factor;
    if (byte < 128) return { value, end: at };
  }
}

function writeVarint(value: number): Buffer {
  return Buffer.from(value < 128 ? [value] : [(value % 128) + 128, ...writeVarint(Math.floor(value / 128))]);
}
