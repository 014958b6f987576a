import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

/** A picture of noise, which does not compress: about three bytes a pixel as PNG. */
export function drawNoise(width: number, height: number): Promise<Buffer> {
  const pixels = randomBytes(width * height * 3);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** A plain picture of one colour. */
export function drawPlain(
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif',
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#c04020' } })
    .toFormat(format)
    .toBuffer();
}

/** A GIF of two frames. */
export async function drawMoving(width: number, height: number): Promise<Buffer> {
  const frames = await Promise.all(
    ['#c04020', '#2040c0'].map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}
