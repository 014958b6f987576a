/** Long strings of a parsed body, on their way from a thread: as bytes they move without a copy. */

/** Node.js holds a string of so many bytes outside of the heap: there it is free without a full garbage collection. */
const LONG = 1024 * 1024;
const NOT_LATIN1 = /[^\0-\xff]/;

type Parent = Record<string, unknown>;

export interface DetachedString {
  /** The object or list in the value; a structured clone of both together keeps it the same. */
  parent: Parent;
  key: string;
  bytes: Uint8Array<ArrayBuffer>;
  encoding: 'latin1' | 'utf16le';
}

/** Takes the long strings out of a value, which is changed. */
export function detachStrings(value: Parent): DetachedString[] {
  const detached: DetachedString[] = [];
  const open = [value];
  // Not recursive: the call stack would overflow on deep values.
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const [key, child] of Object.entries(parent)) {
      if (isParent(child)) open.push(child);
      if (typeof child !== 'string' || child.length < LONG) continue;
      const encoding = NOT_LATIN1.test(child) ? 'utf16le' : 'latin1';
      detached.push({ parent, key, bytes: Buffer.from(child, encoding), encoding });
      parent[key] = '';
    }
  }
  return detached;
}

/** Puts the strings back where they were. Their bytes are emptied. */
export function attachStrings(detached: readonly DetachedString[]): void {
  for (const { parent, key, bytes, encoding } of detached) {
    parent[key] = Buffer.from(bytes.buffer).toString(encoding);
    // Detached, its memory is free at once: the garbage collector takes its time.
    bytes.buffer.transfer(0);
  }
}

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null;
}
