/** The other side of `decode-heic.ts`: libheif as WebAssembly, in a thread that a deadline ends. */
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { DecodedHeic, PhotoToDecode } from './decode-heic.ts';

/** The part of libheif-js that is used here; it comes without types. A failure has a code. */
interface LibHeif {
  heif_context_alloc(): object;
  heif_context_free(context: object): void;
  heif_context_read_from_memory(context: object, bytes: Uint8Array): unknown;
  heif_js_context_get_primary_image_handle(context: object): { code?: unknown };
  heif_image_handle_get_width(photo: object): number;
  heif_image_handle_get_height(photo: object): number;
  heif_image_handle_release(photo: object): void;
  heif_js_decode_image2(photo: object, space: unknown, chroma: unknown): { image: object; channels?: Channel[] };
  heif_image_release(image: object): void;
  heif_colorspace: { heif_colorspace_RGB: unknown };
  heif_chroma: { heif_chroma_interleaved_RGB: unknown };
}

interface Channel {
  width: number;
  height: number;
  /** Bytes from one line to the next. */
  stride: number;
  data: Uint8Array;
}

const createLibHeif = createRequire(import.meta.url)('libheif-js/libheif-wasm/libheif-bundle.js') as () => LibHeif;
let heif = createLibHeif();

function decode({ bytes, mostPixels }: PhotoToDecode): DecodedHeic {
  const context = heif.heif_context_alloc();
  heif.heif_context_read_from_memory(context, bytes);
  const photo = heif.heif_js_context_get_primary_image_handle(context);
  const result = photo.code === undefined ? decodePhoto(photo, mostPixels) : undefined;
  heif.heif_context_free(context);
  return result;
}

function decodePhoto(photo: object, mostPixels: number): DecodedHeic {
  // Decompression bomb: by its header.
  const isLarge = heif.heif_image_handle_get_width(photo) * heif.heif_image_handle_get_height(photo) > mostPixels;
  const { heif_colorspace: space, heif_chroma: chroma } = heif;
  const decoded = isLarge
    ? undefined
    : heif.heif_js_decode_image2(photo, space.heif_colorspace_RGB, chroma.heif_chroma_interleaved_RGB);
  heif.heif_image_handle_release(photo);
  const channel = decoded?.channels?.[0];
  if (!decoded || !channel) return isLarge ? 'too large' : undefined;
  const { width, height, stride, data } = channel;
  const pixels = new Uint8Array(3 * width * height);
  for (let line = 0; line < height; line++)
    pixels.set(data.subarray(line * stride, line * stride + 3 * width), 3 * width * line);
  heif.heif_image_release(decoded.image);
  return { width, height, pixels };
}

parentPort?.on('message', (photo: PhotoToDecode) => {
  let result: DecodedHeic;
  try {
    result = decode(photo);
  } catch {
    // Where WebAssembly has stopped in the middle, its memory is not used again.
    heif = createLibHeif();
  }
  parentPort?.postMessage(result, typeof result === 'object' ? [result.pixels.buffer] : []);
});
parentPort?.postMessage('ready');
