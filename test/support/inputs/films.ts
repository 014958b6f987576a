/** Films that have their boxes and no pictures. */

export function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function movieHeader(seconds: number): Buffer {
  const body = Buffer.alloc(100);
  body.writeUInt32BE(600, 12);
  body.writeUInt32BE(Math.round(seconds * 600), 16);
  return box('mvhd', body);
}

/** Where the chunks of a track begin. */
function chunkTable(chunks: readonly number[], isLong: boolean): Buffer {
  const width = isLong ? 8 : 4;
  const body = Buffer.alloc(8 + chunks.length * width);
  body.writeUInt32BE(chunks.length, 4);
  for (const [index, chunk] of chunks.entries())
    if (isLong) body.writeBigUInt64BE(BigInt(chunk), 8 + index * width);
    else body.writeUInt32BE(chunk, 8 + index * width);
  return box('mdia', box('minf', box('stbl', box('stsd'), box(isLong ? 'co64' : 'stco', body))));
}

interface Track {
  width: number;
  height: number;
  isTurned: boolean;
  table: Buffer;
}

/** `isTurned`: a quarter to the right, as phones write films that were taken upright. */
function track({ width, height, isTurned, table }: Track): Buffer {
  const body = Buffer.alloc(84);
  const matrix = isTurned ? [0, 1, 0, -1, 0, 0, 0, 0, 0x4000] : [1, 0, 0, 0, 1, 0, 0, 0, 0x4000];
  matrix.forEach((value, index) => body.writeInt32BE(value * 0x10000, 40 + index * 4));
  body.writeUInt32BE(width * 0x10000, 76);
  body.writeUInt32BE(height * 0x10000, 80);
  return box('trak', box('tkhd', body), table);
}

/** An MP4 of about this many bytes. `isAtEnd`: its description comes last, as cameras write it. `chunks`: where its pictures are. */
export function film({
  bytes = 1_000,
  seconds = 12.3,
  width = 1_920,
  height = 1_080,
  isTurned = false,
  isAtEnd = true,
  fill = 0,
  brand = 'isom',
  chunks = [] as number[],
  isLong = false,
} = {}): Buffer {
  const head = box('ftyp', Buffer.from(`${brand}\0\0\x02\0isommp41`, 'latin1'));
  const table = chunkTable(chunks, isLong);
  const sound = track({ width: 0, height: 0, isTurned: false, table: chunkTable([], isLong) });
  const moov = box('moov', movieHeader(seconds), sound, track({ width, height, isTurned, table }));
  const mdat = box('mdat', Buffer.alloc(Math.max(0, bytes - head.length - moov.length - 8), fill));
  return Buffer.concat(isAtEnd ? [head, mdat, moov] : [head, moov, mdat]);
}

/** Adds boxes to the last box of a type, which is at the end of the file. */
export function addBoxes(bytes: Buffer, type: string, ...boxes: Buffer[]): Buffer {
  const added = Buffer.concat(boxes);
  const longer = Buffer.concat([bytes, added]);
  const at = bytes.lastIndexOf(type) - 4;
  longer.writeUInt32BE(longer.readUInt32BE(at) + added.length, at);
  return longer;
}
