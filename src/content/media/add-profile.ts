/** The most bytes of a segment after its marker, less the two of its length. */
const SEGMENT_BYTES = 65_533;
const NAME = Buffer.from('ICC_PROFILE\0', 'latin1');

/** Returns a JPEG with a colour profile (ICC), in as many segments as it takes. A profile that does not fit is left out. */
export function addProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const room = SEGMENT_BYTES - NAME.length - 2;
  const count = Math.ceil(profile.length / room);
  if (count === 0 || count > 255) return jpeg;
  const segments = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * room, (index + 1) * room);
    const head = Buffer.from([0xff, 0xe2, 0, 0]);
    head.writeUInt16BE(2 + NAME.length + 2 + part.length, 2);
    return Buffer.concat([head, NAME, Buffer.from([index + 1, count]), part]);
  });
  // Behind the start and the segment of JFIF, which has to be first.
  const at = jpeg[3] === 0xe0 ? 4 + jpeg.readUInt16BE(4) : 2;
  return Buffer.concat([jpeg.subarray(0, at), ...segments, jpeg.subarray(at)]);
}
