import { z } from 'zod';

/** A text within an answer that is too long to be held whole: it is read while the client takes it. */
export class LongText {
  /** In JSON: of letters that it writes as they are. */
  readonly pieces: AsyncIterable<string>;

  constructor(pieces: AsyncIterable<string>) {
    this.pieces = pieces;
  }

  /** The schema by which answers are checked. */
  toJSON(): string {
    return '';
  }
}

/** A field that is a string on the wire, which is all that clients see of it. */
export const longText = z
  .custom<string | LongText>((value) => typeof value === 'string' || value instanceof LongText)
  .meta({ type: 'string' }) as z.ZodType as z.ZodType<string, string | LongText>;

export const csvFormat = z.enum(['csv', 'excel']).meta({
  id: 'CsvFormat',
  description:
    '`excel`: CSV for Excel in the language of the user: with semicolons where that is the custom, local times, and rates as whole percentages.',
});
