/**
 * Strips the metadata of a film: place and time, camera, and tracks of what an action camera records beside the pictures. Pictures and sounds
 * stay as they are. An allow list names the boxes that are kept. Everything else is overwritten in place, and no byte moves: the tables of a
 * film point at positions in the file.
 */
import { createHash } from 'node:crypto';
import { boxesIn, findBox, type Box, type ReadBytes } from '../../../content/media/boxes.ts';
import type { PostMedia } from '../../messenger.ts';
import type { FileContent } from './encrypt-file.ts';

/** Bytes to overwrite: with these, or with zeros. */
interface Patch {
  from: number;
  to: number;
  bytes?: Buffer;
}

/** The boxes that are kept, by the box around them. Of `minf` and below, all are: they say how the pictures are to be read. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  file: new Set(['ftyp', 'styp', 'pdin', 'moov', 'mdat', 'moof', 'mfra', 'sidx', 'ssix', 'wide']),
  moov: new Set(['mvhd', 'trak', 'mvex', 'iods', 'clip', 'cmov']),
  trak: new Set(['tkhd', 'tapt', 'clip', 'matt', 'edts', 'load', 'tref', 'trgr', 'imap', 'mdia']),
  mdia: new Set(['mdhd', 'hdlr', 'elng', 'minf']),
  moof: new Set(['mfhd', 'traf']),
  traf: new Set(['tfhd', 'tfdt', 'trun', 'sbgp', 'sgpd', 'subs', 'saiz', 'saio', 'senc']),
};
/** Headers that begin with the times at which they were written and changed. */
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
/** A box that every reader skips. */
const UNUSED = Buffer.from('free', 'latin1');

/** Returns a film, or a sound in MP4, without its metadata; it has the same size. It is never in memory as a whole. */
export async function stripFilm(film: Pick<PostMedia, 'pieces' | 'read' | 'size'>): Promise<FileContent> {
  const { read, size } = film;
  const patches: Patch[] = [];
  for await (const patch of findMetadata(read, { from: 0, to: size }, 'file')) patches.push(patch);
  const pieces = () => overwrite(film.pieces(), patches);
  const hash = createHash('sha256');
  for await (const piece of pieces()) hash.update(piece);
  return { pieces, size, sha256: hash.digest() };
}

async function* findMetadata(read: ReadBytes, part: Pick<Box, 'from' | 'to'>, name: string): AsyncGenerator<Patch> {
  const kept = KEPT[name];
  for await (const box of boxesIn(read, part)) {
    if (!kept?.has(box.type)) yield* unused(box);
    else if (DATED.has(box.type)) yield await undated(read, box);
    else if (box.type === 'trak' && (await isOfMetadata(read, box))) yield* unused(box);
    else if (Object.hasOwn(KEPT, box.type)) yield* findMetadata(read, box, box.type);
  }
}

function unused({ at, from, to }: Box): Patch[] {
  return [
    { from: at + 4, to: at + 8, bytes: UNUSED },
    { from, to },
  ];
}

async function undated(read: ReadBytes, { from, to }: Box): Promise<Patch> {
  const [version = 0] = await read(from, 1);
  return { from: Math.min(from + 4, to), to: Math.min(from + (version === 1 ? 20 : 12), to) };
}

/** Whether a track has neither pictures nor sounds but records, such as positions. */
async function isOfMetadata(read: ReadBytes, track: Box): Promise<boolean> {
  const mdia = await findBox(read, track, 'mdia');
  const hdlr = mdia && (await findBox(read, mdia, 'hdlr'));
  return hdlr !== undefined && (await read(hdlr.from + 8, 4)).toString('latin1') === 'meta';
}

/** The patches are in order, and none within another. */
async function* overwrite(pieces: AsyncIterable<Buffer>, patches: readonly Patch[]): AsyncGenerator<Buffer> {
  let [at, next] = [0, 0];
  for await (const piece of pieces) {
    const end = at + piece.length;
    let written = piece;
    for (let patch = patches[next]; patch && patch.from < end; patch = patches[next]) {
      // The piece may be somebody else's, too.
      if (written === piece) written = Buffer.from(piece);
      const [from, to] = [Math.max(patch.from, at), Math.min(patch.to, end)];
      if (patch.bytes) patch.bytes.copy(written, from - at, from - patch.from, to - patch.from);
      else written.fill(0, from - at, to - at);
      if (patch.to > end) break;
      next += 1;
    }
    yield written;
    at = end;
  }
}
