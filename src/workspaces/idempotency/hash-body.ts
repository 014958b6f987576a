import { createHash, type Hash } from 'node:crypto';

/**
 * The sha256 of a validated request body: two bodies that mean the same have the same one, however they were written down. Long
 * texts go into it as they are, without a copy.
 */
export function hashBody(body: unknown): Buffer {
  const hash = createHash('sha256');
  feed(hash, body);
  return hash.digest();
}

function feed(hash: Hash, value: unknown): void {
  if (typeof value === 'string') {
    // The length before the text keeps two texts side by side apart.
    hash.update(`s${value.length}:`).update(value);
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`);
    for (const item of value) feed(hash, item);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    hash.update(`o${entries.length}:`);
    for (const [name, item] of entries) {
      feed(hash, name);
      feed(hash, item);
    }
  } else {
    hash.update(`${String(value)};`);
  }
}
