/** What the wire schemas of all areas are made of. */
import { z } from 'zod';

/**
 * A field that may be left out. `null` counts as absent (contract §2), so the handler sees the value or `undefined`.
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field that may be left out or `null`, and then is `fallback`. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) {
  return schema
    .nullish()
    .transform((value): z.output<Schema> => value ?? fallback)
    .meta({ default: fallback });
}

/** A string of at least `min` and at most `max` UTF-16 code units (contract §7). */
export function text(min: number, max: number) {
  return z.string().check(units(min, max)).meta({ minLength: min, maxLength: max });
}

/** zod's own `min` and `max` count an astral character once; JavaScript and WhatsApp count it twice. */
export function units(min: number, max: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    const bounds = { origin: 'string', inclusive: true, input: value, continue: true } as const;
    if (value.length < min) issues.push({ code: 'too_small', minimum: min, ...bounds });
    if (value.length > max) issues.push({ code: 'too_big', maximum: max, ...bounds });
  };
}

/** A body of which nothing is read. */
export const nothing = z.object({}).meta({ id: 'Nothing', description: 'An empty object; an empty body serves too.' });
