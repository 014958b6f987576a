/** A picture through acceptance: from base64 to a file that may be sent, beside the decoder alone. */
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { acceptMedia } from '../../src/content/media/accept-media.ts';
import type { Bench } from './support/run-benches.ts';
import { limitRow, median } from './support/table.ts';

const MOST_MS = 1_000;
/** Of noise, a JPEG of so many pixels has 5 MB. */
const EDGE = { width: 3_250, height: 2_450 };

export async function benchPictures({ pick, report }: Bench): Promise<void> {
  await report('a 5 MB picture through acceptance', async () => {
    const { width, height } = pick(EDGE, EDGE, { width: 200, height: 150 });
    const pixels = randomBytes(width * height * 3);
    const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 80 })
      .toBuffer();
    const base64 = jpeg.toString('base64');
    await acceptMedia('image', base64);
    const found: Array<[ours: number, theirs: number]> = [];
    for (let round = 0; round < pick(15, 15, 1); round++)
      found.push([await timeOf(() => acceptMedia('image', base64)), await timeOf(() => sharp(jpeg).raw().toBuffer())]);
    const ours = median(found.map(([one]) => one));
    const theirs = median(found.map(([, other]) => other));
    const what = `a picture of ${(jpeg.length / 1e6).toFixed(1)} MB through acceptance`;
    return [limitRow(what, ours, MOST_MS, { yardstick: `sharp alone ${theirs.toFixed(0)} ms` })];
  });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
