import { execute, type Connection } from '../../platform/database/statements.ts';

/**
 * Large files are kept in pieces of this many bytes, so that neither writing nor reading one needs it in memory as a whole. A multiple of
 * the bytes that are read at once, and of three, so that the base64 of several can be put together.
 */
export const PIECE_BYTES = 240 * 1024;

/** Regroups the bytes of a stream into pieces of `PIECE_BYTES`; the last one is shorter. */
export async function* toPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < PIECE_BYTES) continue;
    let whole = Buffer.concat(waiting, length);
    for (; whole.length >= PIECE_BYTES; whole = whole.subarray(PIECE_BYTES)) yield whole.subarray(0, PIECE_BYTES);
    waiting = [whole];
    ({ length } = whole);
  }
  if (length > 0) yield Buffer.concat(waiting, length);
  return undefined;
}

export async function writePiece(db: Connection, mediaId: number, position: number, bytes: Buffer): Promise<void> {
  await execute(db)`insert into media_pieces (media_id, position, bytes) values (${mediaId}, ${position}, ${bytes})`;
}
