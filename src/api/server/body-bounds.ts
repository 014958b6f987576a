import { z } from 'zod';

/** How many signs of JSON a body may have outside of its strings. */
export interface BodyBounds {
  /** Commas: they separate items and fields. */
  commas: number;
  /** Colons and opening brackets: objects, lists and the names of fields. Each costs many times as much as an item. */
  names: number;
}

/** So much more than its fields need a body may have: unknown fields are ignored (contract §2). */
const SPARE = 1_000;

/** The bounds where no schema says more. */
export const SMALL_BODY_BOUNDS: BodyBounds = { commas: SPARE, names: SPARE };

/** Returns the bounds of a body: what its schema takes at most, and some to spare. Throws for a schema with a list without a maximum. */
export function boundBody(schema: z.core.$ZodType): BodyBounds {
  const { commas, names } = measure(schema);
  return { commas: commas + SPARE, names: names + SPARE };
}

function measure(schema: z.core.$ZodType): BodyBounds {
  if (schema instanceof z.ZodPipe) return measure(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return measure(schema.unwrap());
  if (schema instanceof z.ZodUnion) {
    const forms = schema.options.map(measure);
    return {
      commas: Math.max(...forms.map((form) => form.commas)),
      names: Math.max(...forms.map((form) => form.names)),
    };
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.values<z.core.$ZodType>(schema.shape).map(measure);
    return fields.reduce((sum, field) => add(sum, field, 1), { commas: 0, names: 1 });
  }
  if (schema instanceof z.ZodRecord) {
    const most = 'most' in schema.def ? Number(schema.def.most) : 0;
    return { commas: most, names: 1 + most };
  }
  if (!(schema instanceof z.ZodArray)) return { commas: 0, names: 0 };
  const { commas, names } = measure(schema.element);
  const most = mostItems(schema);
  return { commas: most * (commas + 1), names: 1 + most * names };
}

function add(sum: BodyBounds, field: BodyBounds, name: number): BodyBounds {
  return { commas: sum.commas + field.commas + 1, names: sum.names + field.names + name };
}

function mostItems({ def }: z.ZodArray): number {
  const maxima = (def.checks ?? []).flatMap((check) =>
    check instanceof z.core.$ZodCheckMaxLength ? [check._zod.def.maximum] : [],
  );
  if (maxima.length === 0) throw new Error('a list of a request needs a maximum');
  return Math.min(...maxima);
}
