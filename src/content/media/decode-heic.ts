import { createThreadPool, DeadlineError } from '../../platform/concurrency/thread-pool.ts';
import { boxesIn, findBox, readerOfBytes } from './boxes.ts';

/** A photo upright, in its own colours. */
export interface DecodedPhoto {
  width: number;
  height: number;
  /** Red, green and blue, a byte each. */
  pixels: Uint8Array<ArrayBuffer>;
  /** The colour profile (ICC) of the pixels. Undefined: sRGB. */
  profile?: Buffer | undefined;
}

/** The message to a thread. */
export interface PhotoToDecode {
  bytes: Uint8Array<ArrayBuffer>;
  mostPixels: number;
}

/** Undefined if it is unreadable. */
export type DecodedHeic = DecodedPhoto | 'too large' | undefined;

/** A photo of a phone takes a second or two, and more beside other work. */
const DEADLINE_MS = 30_000;

/** The permits of pictures are taken before, so that nothing waits here. */
const threads = createThreadPool<PhotoToDecode, DecodedHeic>({
  name: 'heic',
  module: new URL('./decode-heic-thread.ts', import.meta.url),
  threads: 2,
  maxWaiting: 10,
  maxWaitMs: DEADLINE_MS,
  deadlineMs: DEADLINE_MS,
});

/** Decodes a HEIC photo in a thread, in which it may crash or take too long. Its place, time and camera are not read. */
export async function decodeHeic(bytes: Buffer, mostPixels: number): Promise<DecodedHeic> {
  const copy = new Uint8Array(bytes);
  try {
    const photo = await threads.run({ bytes: copy, mostPixels }, { move: [copy.buffer] });
    return photo === undefined || photo === 'too large' ? photo : { ...photo, profile: await readProfile(bytes) };
  } catch (error) {
    if (error instanceof DeadlineError) return undefined;
    throw error;
  }
}

/** Before the boxes in it are its version and flags. */
const META_HEAD = 4;
const PROFILES = new Set(['prof', 'rICC']);

/** Returns the first profile of the file: its photo and the tiles and previews of it share one. */
async function readProfile(bytes: Buffer): Promise<Buffer | undefined> {
  const read = readerOfBytes(bytes);
  let part = await findBox(read, { from: 0, to: bytes.length }, 'meta');
  part &&= await findBox(read, { ...part, from: part.from + META_HEAD }, 'iprp');
  part &&= await findBox(read, part, 'ipco');
  if (!part) return undefined;
  for await (const { type, from, to } of boxesIn(read, part))
    if (type === 'colr' && PROFILES.has(bytes.toString('latin1', from, from + 4))) return bytes.subarray(from + 4, to);
  return undefined;
}
