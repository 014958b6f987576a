/**
 * Reads the length and the size of a film out of its boxes (ISO/IEC 14496-12): `moov/mvhd` has the length, `moov/trak/tkhd` the size of a
 * track. Reads headers only, wherever the film has them, so a film that was not prepared for streaming costs no more.
 */

/** Returns up to `length` bytes from `from` on; fewer at the end of the file. */
export type ReadBytes = (from: number, length: number) => Promise<Buffer>;

export interface Movie {
  /** In pixels as shown, after rotation. */
  width: number;
  height: number;
  /** Rounded up to whole seconds. Absent if the film does not tell, such as one that is recorded in fragments. */
  seconds?: number;
}

/** Denial of service: no real film has as many boxes on one level. */
const MOST_BOXES = 1_000;
const LONGEST_HEADER = 120;

interface Box {
  type: string;
  /** Where the content begins and ends. */
  from: number;
  to: number;
}

/** Undefined for a film that does not tell its size, such as a damaged one. */
export async function readMovie(read: ReadBytes): Promise<Movie | undefined> {
  const moov = await findBox(read, { from: 0, to: Number.MAX_SAFE_INTEGER }, 'moov');
  const mvhd = moov && (await findBox(read, moov, 'mvhd'));
  if (!moov || !mvhd) return undefined;
  const seconds = secondsOf(await read(mvhd.from, Math.min(LONGEST_HEADER, mvhd.to - mvhd.from)));
  const size = await findSize(read, moov);
  return size && { ...size, ...(seconds !== undefined && { seconds }) };
}

async function findBox(read: ReadBytes, within: Pick<Box, 'from' | 'to'>, type: string): Promise<Box | undefined> {
  for await (const box of boxesIn(read, within)) if (box.type === type) return box;
  return undefined;
}

async function* boxesIn(read: ReadBytes, { from, to }: Pick<Box, 'from' | 'to'>): AsyncGenerator<Box> {
  for (let at = from, boxes = 0; at + 8 <= to && boxes < MOST_BOXES; boxes++) {
    const head = await read(at, 16);
    if (head.length < 8) return;
    const short = head.readUInt32BE(0);
    const isLong = short === 1;
    if (isLong && head.length < 16) return;
    // Zero: up to the end of the file.
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    const headBytes = isLong ? 16 : 8;
    if (size < headBytes || at + size > to) return;
    yield { type: head.toString('latin1', 4, 8), from: at + headBytes, to: at + size };
    at += size;
  }
}

/** The first track that is shown. Sounds have a size of zero. */
async function findSize(read: ReadBytes, moov: Box): Promise<Pick<Movie, 'width' | 'height'> | undefined> {
  for await (const track of boxesIn(read, moov)) {
    if (track.type !== 'trak') continue;
    const tkhd = await findBox(read, track, 'tkhd');
    const size = tkhd && sizeOf(await read(tkhd.from, Math.min(LONGEST_HEADER, tkhd.to - tkhd.from)));
    if (size && size.width > 0 && size.height > 0) return size;
  }
  return undefined;
}

function secondsOf(mvhd: Buffer): number | undefined {
  const isLong = mvhd[0] === 1;
  if (mvhd.length < (isLong ? 32 : 20)) return undefined;
  const scale = mvhd.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(mvhd.readBigUInt64BE(24)) : mvhd.readUInt32BE(16);
  const seconds = Math.ceil(duration / scale);
  // All ones: unknown.
  return scale > 0 && seconds > 0 && seconds <= LONGEST_SECONDS ? seconds : undefined;
}

const LONGEST_SECONDS = 7 * 24 * 60 * 60;

/** Width and height are the last eight bytes, 16.16 fixed point; the matrix before them turns the picture by quarters. */
function sizeOf(tkhd: Buffer): Pick<Movie, 'width' | 'height'> | undefined {
  const matrix = tkhd[0] === 1 ? 52 : 40;
  if (tkhd.length < matrix + 44) return undefined;
  const [width, height] = [tkhd.readUInt32BE(matrix + 36) >>> 16, tkhd.readUInt32BE(matrix + 40) >>> 16];
  const isTurned = tkhd.readInt32BE(matrix) === 0 && tkhd.readInt32BE(matrix + 4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}
