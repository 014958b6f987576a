/**
 * Names on the wire are `snake_case`, ours are `camelCase`. These conversions follow the schemas of the contract, so that nobody writes a
 * mapping by hand: bodies become ours before a handler sees them, and answers become the wire's after it.
 *
 * An answer has the fields that its schema declares and no other, at any depth: a handler may return what a use case returned, and an
 * internal field of that never leaves. Keys of records, and whatever a schema does not look into, stay as they are.
 */
import { z } from 'zod';
import { LongList } from './contract/long-list.ts';
import { LongText } from './contract/long-text.ts';
import { isRecord, unwrap } from './server/body-fields.ts';

/** `campaign_id` is `campaignId`; a name without an underscore within it stays. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? Head extends ''
    ? Name
    : `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Whole = string | number | boolean | null | undefined | Date | LongText | AsyncIterable<unknown>;

/** A body of a request with our names. */
export type FromWire<T> = T extends Whole
  ? T
  : T extends ReadonlyArray<infer Item>
    ? Array<FromWire<Item>>
    : T extends object
      ? { [Name in keyof T as CamelCase<Name>]: FromWire<T[Name]> }
      : T;

/** The data of an answer with our names. A field that is nothing may be null or undefined, whichever of both it is on the wire. */
export type ToWire<T> = T extends Whole
  ? T
  : T extends LongList<infer Item>
    ? LongList<ToWire<Item>>
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<ToWire<Item>>
      : T extends object
        ? { readonly [Name in keyof T as CamelCase<Name>]: ToWire<T[Name]> | Nothing<T[Name]> }
        : T;

type Nothing<T> = null extends T ? undefined : undefined extends T ? null : never;

/** Returns a body that `schema` has validated, or valid fields of it, with our names. Absent fields stay absent. */
export function fromWire<Schema extends z.ZodType>(schema: Schema, body: z.output<Schema>): FromWire<z.output<Schema>> {
  return converterOf(schema, 'fromWire')(body) as FromWire<z.output<Schema>>;
}

/** Returns the data of an answer as `schema` declares it: the wire's names, in the schema's order, without any other field. */
export function toWire<Schema extends z.ZodType>(schema: Schema, data: ToWire<z.input<Schema>>): z.input<Schema> {
  return converterOf(schema, 'toWire')(data) as z.input<Schema>;
}

type Direction = 'fromWire' | 'toWire';
type Convert = (value: unknown) => unknown;

const keep: Convert = (value) => value;
/** `JSON.stringify` would do it, at ten times the cost of the rest of an answer. */
const toIso: Convert = (value) => (value instanceof Date ? value.toISOString() : value);
const CONVERTERS = {
  fromWire: new WeakMap<z.core.$ZodType, Convert>(),
  toWire: new WeakMap<z.core.$ZodType, Convert>(),
};

/** Schemas are walked once: each request only reads the fields. */
function converterOf(schema: z.core.$ZodType, direction: Direction): Convert {
  const known = CONVERTERS[direction].get(schema);
  if (known) return known;
  const made = createConverter(unwrap(schema), direction);
  CONVERTERS[direction].set(schema, made);
  return made;
}

function createConverter(schema: z.core.$ZodType, direction: Direction): Convert {
  if (schema instanceof z.ZodArray) return convertItems(converterOf(schema.element, direction));
  if (schema instanceof z.ZodObject) return convertFields(schema.shape, direction);
  if (schema instanceof z.ZodDiscriminatedUnion) return convertForm(schema, direction);
  const parts = schema instanceof z.ZodUnion ? schema.options : schema instanceof z.ZodRecord ? [schema.valueType] : [];
  if (direction === 'toWire' && parts.some((part) => converterOf(part, direction) !== keep))
    throw new Error('answers have objects in fields, lists and discriminated unions only, so that nothing leaks');
  const isInstant = schema instanceof z.ZodString && schema.meta()?.['format'] === 'date-time';
  return isInstant && direction === 'toWire' ? toIso : keep;
}

function convertItems(convert: Convert): Convert {
  // Ten thousand ids are no objects: nothing is done for each.
  if (convert === keep) return keep;
  return (items) => {
    if (items instanceof LongList) return items.map(convert);
    return Array.isArray(items) ? items.map(convert) : items;
  };
}

function convertFields(shape: Readonly<Record<string, z.core.$ZodType>>, direction: Direction): Convert {
  const fields = Object.entries(shape).map(([wire, schema]) => {
    const [from, to] = direction === 'toWire' ? [toCamelCase(wire), wire] : [wire, toCamelCase(wire)];
    const isNullable = z.safeParse(schema, null).success;
    const nothing = direction === 'toWire' && isNullable && !z.safeParse(schema, undefined).success ? null : undefined;
    return { from, to, convert: converterOf(schema, direction), isNullable, nothing };
  });
  // The answer that only confirms, whatever the handler returned.
  if (fields.length === 0) return () => ({});
  return (value) => {
    if (!isRecord(value)) return value;
    const converted: Record<string, unknown> = {};
    for (const { from, to, convert, isNullable, nothing } of fields) {
      const part = value[from];
      const settled = part === null && isNullable ? null : (part ?? nothing);
      if (settled !== undefined) converted[to] = settled === null ? null : convert(settled);
    }
    return converted;
  };
}

/** A value has the form that its discriminator names. */
function convertForm({ options, def }: z.ZodDiscriminatedUnion, direction: Direction): Convert {
  const name = direction === 'toWire' ? toCamelCase(def.discriminator) : def.discriminator;
  const forms = options.filter((option) => option instanceof z.ZodObject);
  return (value) => {
    if (!isRecord(value)) return value;
    const isChosen = ({ shape }: z.ZodObject) =>
      z.safeParse(shape[def.discriminator] ?? z.never(), value[name]).success;
    const chosen = forms.find(isChosen);
    return chosen ? converterOf(chosen, direction)(value) : {};
  };
}

export function toCamelCase(name: string): string {
  return name.replaceAll(/(?<=^[a-z0-9_]+)_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
