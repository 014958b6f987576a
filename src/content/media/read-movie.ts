/**
 * Reads the length and the size of a film out of its boxes: `moov/mvhd` has the length, `moov/trak/tkhd` the size of a track, and
 * `moov/trak/mdia/minf/stbl/stco` where its pictures and sounds begin. Reads headers only, wherever the film has them, so a film that was not
 * prepared for streaming costs no more.
 */
import { boxesIn, findBox, type Box, type ReadBytes } from './boxes.ts';

export interface Movie {
  /** In pixels as shown, after rotation. */
  width: number;
  height: number;
  /** Rounded up to whole seconds. Absent if the film does not tell, such as one that is recorded in fragments. */
  seconds?: number;
}

export interface MovieFile {
  /** Whether its description is there, and all of the pictures and sounds that it tells of. */
  isWhole: boolean;
  /** Undefined for a film that does not tell its size, and for sounds. */
  movie: Movie | undefined;
}

/** The parts without which a film is not shown to its end: the description, the pictures and sounds, a fragment. */
const NEEDED = new Set(['moov', 'mdat', 'moof']);
const LONGEST_HEADER = 120;
/** Denial of service: no real film has as many tracks. */
const MOST_TRACKS = 100;
/** Of a day of film; what is beyond is not looked at. */
const LONGEST_TABLE = 1_048_576;

/** `size` is that of the file in bytes. */
export async function readMovie(read: ReadBytes, size: number): Promise<MovieFile> {
  let moov: Box | undefined;
  let hasContent = false;
  let isCutOff = false;
  for await (const box of boxesIn(read, { from: 0, to: size })) {
    if (!NEEDED.has(box.type)) continue;
    if (box.type === 'moov') moov ??= box;
    else hasContent ||= box.to > box.from;
    isCutOff ||= box.isCutOff;
  }
  if (!moov) return { isWhole: false, movie: undefined };
  const isWhole = hasContent && !isCutOff && (await isDescribed(read, moov, size));
  return { isWhole, movie: await describe(read, moov) };
}

/** Whether a description tells of a track, and of nothing beyond the end of the file. QuickTime can compress it (`cmov`). */
async function isDescribed(read: ReadBytes, moov: Box, size: number): Promise<boolean> {
  let [hasHeader, isCompressed, tracks] = [false, false, 0];
  for await (const box of boxesIn(read, moov)) {
    hasHeader ||= box.type === 'mvhd';
    isCompressed ||= box.type === 'cmov';
    if (box.type === 'trak' && tracks++ < MOST_TRACKS && (await findLastChunk(read, box)) >= size) return false;
  }
  return isCompressed || (hasHeader && tracks > 0);
}

/** Returns where the last chunk of a track begins; 0 without any, as in a film that is recorded in fragments. */
async function findLastChunk(read: ReadBytes, track: Box): Promise<number> {
  let within: Box | undefined = track;
  for (const type of ['mdia', 'minf', 'stbl']) within &&= await findBox(read, within, type);
  const table = within && ((await findBox(read, within, 'stco')) ?? (await findBox(read, within, 'co64')));
  if (!table) return 0;
  const bytes = await read(table.from, Math.min(table.to - table.from, LONGEST_TABLE));
  const width = table.type === 'co64' ? 8 : 4;
  const count = bytes.length < 8 ? 0 : Math.min(bytes.readUInt32BE(4), Math.floor((bytes.length - 8) / width));
  let last = 0;
  for (let at = 8; at < 8 + count * width; at += width)
    last = Math.max(last, width === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at));
  return last;
}

async function describe(read: ReadBytes, moov: Box): Promise<Movie | undefined> {
  const mvhd = await findBox(read, moov, 'mvhd');
  if (!mvhd) return undefined;
  const seconds = secondsOf(await read(mvhd.from, Math.min(LONGEST_HEADER, mvhd.to - mvhd.from)));
  const size = await findSize(read, moov);
  return size && { ...size, ...(seconds !== undefined && { seconds }) };
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
