/** The boxes of which MP4, MOV, 3GP, M4A and HEIC files are made (ISO/IEC 14496-12): a length, a type of four letters, and the content. */

/** Returns up to `length` bytes from `from` on; fewer only at the end of the file. */
export type ReadBytes = (from: number, length: number) => Promise<Buffer>;

export interface Box {
  type: string;
  /** The position of the length, where the box begins. */
  at: number;
  /** The positions where the content begins and ends. A box that is cut off ends with the part of the file that it is in. */
  from: number;
  to: number;
  isCutOff: boolean;
}

/** Denial of service: no real film has as many boxes on one level. */
const MOST_BOXES = 1_000;

export function readerOfBytes(bytes: Buffer): ReadBytes {
  return (from, length) => Promise.resolve(bytes.subarray(from, from + length));
}

/** Yields the boxes in a part of a file, and reads their headers only. */
export async function* boxesIn(read: ReadBytes, { from, to }: Pick<Box, 'from' | 'to'>): AsyncGenerator<Box> {
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MOST_BOXES; boxes++) {
    const head = await read(at, 16);
    if (head.length < 8) return;
    const short = head.readUInt32BE(0);
    const isLong = short === 1;
    if (isLong && head.length < 16) return;
    // Zero: up to the end of the file.
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    const headBytes = isLong ? 16 : 8;
    if (size < headBytes) return;
    const end = at + size;
    const type = head.toString('latin1', 4, 8);
    yield { type, at, from: at + headBytes, to: Math.min(end, to), isCutOff: end > to };
    at = end;
  }
}

export async function findBox(
  read: ReadBytes,
  within: Pick<Box, 'from' | 'to'>,
  type: string,
): Promise<Box | undefined> {
  for await (const box of boxesIn(read, within)) if (box.type === type) return box;
  return undefined;
}
