import { invalid } from '../../platform/errors/errors.ts';

/** A place in a list as clients carry it: opaque to them, so that its meaning may change. */
export function writeCursor(place: number | null): string | null {
  return place === null ? null : Buffer.from(`v1:${place}`).toString('base64url');
}

/** The place a cursor stands for; undefined for none. Throws 400 for what `writeCursor` never wrote. */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, place] = /^v1:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  // Decoding passes over what is no base64 at all.
  if (place === undefined || writeCursor(Number(place)) !== cursor)
    throw invalid([{ field: 'cursor', issue: 'must be the next_cursor of an earlier answer' }]);
  return Number(place);
}
