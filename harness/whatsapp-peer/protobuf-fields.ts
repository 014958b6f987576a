/** The wire format of protobufs, for messages whose fields are numbers and bytes. */

export type Fields = Readonly<Record<number, number | Uint8Array | undefined>>;

export function encodeFields(fields: Fields): Buffer {
  const parts = Object.entries(fields).flatMap(([field, value]) => {
    if (value === undefined) return [];
    const tag = Number(field) * 8;
    return typeof value === 'number' ? [varint(tag), varint(value)] : [varint(tag + 2), varint(value.length), value];
  });
  return Buffer.concat(parts);
}

/** `number` is undefined, and `bytes` throws, for a field that is missing. */
export function decodeFields(encoded: Uint8Array) {
  const found = new Map<number, number | Buffer>();
  const bytes = Buffer.from(encoded);
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const field = Math.floor(tag / 8);
    if (tag % 8 === 0) found.set(field, readVarint());
    else if (tag % 8 === 2) {
      const length = readVarint();
      if (at + length > bytes.length) throw new Error('a truncated message');
      found.set(field, bytes.subarray(at, (at += length)));
    } else throw new Error(`field ${field} has an unknown type`);
  }
  return {
    number(field: number): number | undefined {
      const value = found.get(field);
      return typeof value === 'number' ? value : undefined;
    },
    bytes(field: number): Buffer {
      const value = found.get(field);
      if (!Buffer.isBuffer(value)) throw new Error(`field ${field} is missing`);
      return value;
    },
  };
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
