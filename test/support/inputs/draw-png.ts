import { crc32, deflateSync } from 'node:zlib';

/** A picture that can be told from others at a glance: hills below a sky. */
export function drawPng(width: number, height: number): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x++) row.set(colourAt(x / width, y / height), 1 + x * 3);
    rows.push(row);
  }
  // Eight bits a colour, red, green and blue.
  return encode(width, height, [8, 2], deflateSync(Buffer.concat(rows)));
}

/** A black picture of one bit a pixel: next to nothing as a file, and drawn in no time, however much there is of it once decoded. */
export function drawBlack(width: number, height: number): Buffer {
  return encode(width, height, [1, 0], deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8)))));
}

/** `kind`: bits and kind of colour, as the header says them. */
function encode(width: number, height: number, kind: [number, number], pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(kind, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function colourAt(x: number, y: number): [number, number, number] {
  if (Math.hypot(x - 0.78, (y - 0.24) * 0.7) < 0.08) return [255, 214, 120];
  if (y > 0.75 + 0.08 * Math.sin(x * 7)) return [92, 130, 70];
  if (y > 0.58 + 0.1 * Math.sin(x * 4 + 2)) return [128, 160, 96];
  return [150 + 60 * y, 195 + 40 * y, 232];
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
