import { invalid, fieldError } from '../../platform/errors/errors.ts';

/** A place in a list as clients carry it: opaque to them, so that its meaning may change. */
export function writeCursor(place: number | null): string | null {
  return place === null ? null : Buffer.from(`v1:${place}`).toString('base64url');
}

/** Returns the position in a cursor; undefined without one. Throws 400 for a cursor that `writeCursor` never wrote. */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, place] = /^v1:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  // Node's base64 decoder ignores invalid characters.
  if (place === undefined || writeCursor(Number(place)) !== cursor) throw invalid([fieldError('cursor', 'bad_cursor')]);
  return Number(place);
}
