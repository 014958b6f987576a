import { z } from 'zod';
import { findNearest } from '../../platform/errors/find-nearest.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';

/** The most unknown fields, and the most warnings in all, that are reported. */
export const MAX_REPORTED = 10;
const LONGEST_NAME = 64;

type Fields = Readonly<Record<string, z.core.$ZodType>>;

/**
 * Returns the fields of a body that `schema` does not know, 10 at most, each with a suggestion. `null` counts as absent. A field of several
 * items of a list is there once, without their numbers.
 */
export function findUnknownFields(schema: z.core.$ZodType, body: unknown): FieldError[] {
  const found = new Map<string, FieldError>();
  collectUnknownFields(schema, body, '', found);
  return [...found.values()];
}

/** The fields of a refused body that are right by themselves, as the handler would see them. */
export function validFields(schema: z.ZodType, body: unknown): Record<string, unknown> {
  const fields = isRecord(body) ? (fieldsOf(schema, body) ?? {}) : {};
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const { success, data } = z.safeParse(field, (body as Record<string, unknown>)[name]);
      return success && data !== undefined ? [[name, data]] : [];
    }),
  );
}

function collectUnknownFields(
  schema: z.core.$ZodType,
  value: unknown,
  path: string,
  found: Map<string, FieldError>,
): void {
  const inner = unwrap(schema);
  if (Array.isArray(value) && inner instanceof z.ZodArray) {
    const element = unwrap(inner.element);
    // Ten thousand ids have no fields: nothing is done for each.
    if (element instanceof z.ZodObject || element instanceof z.ZodUnion)
      for (const item of value) if (isRecord(item)) collectUnknownFields(element, item, path, found);
    return;
  }
  if (!isRecord(value)) return;
  const fields = fieldsOf(inner, value);
  if (!fields) return;
  for (const [name, part] of Object.entries(value)) {
    if (found.size >= MAX_REPORTED) return;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const place = path + name;
    if (field) collectUnknownFields(field, part, `${place}.`, found);
    else if (part !== null && !found.has(place))
      found.set(place, fieldError(shown(place), 'unknown_field', { suggestion: suggest(name, Object.keys(fields)) }));
  }
}

/** Undefined for a schema that is no object; of several forms those of the one that the body chose, or else of the first. */
export function fieldsOf(schema: z.core.$ZodType, value: Readonly<Record<string, unknown>>): Fields | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return inner.shape;
  if (!(inner instanceof z.ZodUnion)) return undefined;
  const forms = inner.options.filter((option) => unwrap(option) instanceof z.ZodObject);
  const by = inner instanceof z.ZodDiscriminatedUnion ? inner.def.discriminator : undefined;
  const isChosen = (form: z.core.$ZodType) => {
    const field = by === undefined ? undefined : fieldsOf(form, value)?.[by];
    return field !== undefined && by !== undefined && z.safeParse(field, value[by]).success;
  };
  const chosen = forms.find(isChosen) ?? forms[0];
  return chosen && fieldsOf(chosen, value);
}

/** Returns the schema inside an optional or nullable field or a transformation. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  return schema;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function suggest(name: string, known: readonly string[]): string {
  const meant = findNearest(name, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Returns how an answer names what is at a path of a body. It is short, also where a body has keys of its sender's own. */
export function nameOfPath(path: readonly PropertyKey[]): string {
  return path.slice(0, 20).map(String).join('.').toWellFormed().slice(0, 200);
}

/** A header takes ASCII only. */
function shown(name: string): string {
  const ascii = name.replaceAll(/[^ -~]/g, '?');
  return ascii.length > LONGEST_NAME ? `${ascii.slice(0, LONGEST_NAME)}...` : ascii;
}
