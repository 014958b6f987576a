const CONTINUES = 0x80;

/** Returns the integer in a field of a protobuf message. Undefined if the message has no such field, or is not well-formed. */
export function readVarint(bytes: Uint8Array, field: number): number | undefined {
  let at = 0;
  function next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= CONTINUES) {
      const byte = bytes[at++];
      if (byte === undefined) return Number.NaN;
      value += (byte % CONTINUES) * factor;
      if (byte < CONTINUES) return value;
    }
  }
  while (at < bytes.length) {
    const tag = next();
    const isWanted = Math.floor(tag / 8) === field;
    switch (tag % 8) {
      case 0: {
        const value = next();
        if (isWanted) return Number.isNaN(value) ? undefined : value;
        break;
      }
      case 1:
        at += 8;
        break;
      case 2: {
        // Not `at += next()`, which adds to the position before the length.
        const length = next();
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return undefined;
    }
    if (Number.isNaN(at)) return undefined;
  }
  return undefined;
}
