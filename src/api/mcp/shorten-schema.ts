import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** Words that a model pays for with each conversation. The validation knows them, and says what is wrong. */
const LEFT_OUT = new Set(['$schema', 'id', 'pattern', 'examples', 'minLength', 'maxLength']);

/** Returns the same schema for validation, whose JSON for models is short. `known`: fields that another tool has already described. */
export function withShortSchema(schema: z.ZodObject, known: z.ZodObject = z.object({})): StandardSchemaWithJSON {
  const describe = (io: 'input' | 'output') => {
    const { properties = {}, ...rest } = shorten(z.toJSONSchema(schema, { io })) as { properties?: Json };
    const shown = Object.entries(properties).map(([name, one]) => [
      name,
      name in known.shape ? refer(one as Json) : one,
    ]);
    return { ...rest, properties: Object.fromEntries(shown) as Json };
  };
  const { validate } = schema['~standard'];
  const jsonSchema = { input: () => describe('input'), output: () => describe('output') };
  return { '~standard': { version: 1, vendor: 'campanile', validate, jsonSchema } };
}

/** Descriptions with more characters are. */
const LONG = 50;

/** A field that is simple is shorter than a reference to it. */
function refer(field: Json): Json {
  const { type, properties, items, description: own = '' } = field;
  const description = 'As in check_campaign';
  // Some hosts reject a list without the type of its items.
  if (items) return { type, items: { type: (items as Json)['type'] }, description };
  return properties || String(own).length > LONG ? { type, description } : field;
}

/** Models leave a field out instead of sending null, which stays valid. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, type, ...rest } = value as Json;
  const short = Object.entries(rest).filter(([name, one]) => !isLeftOut(name, one));
  const others = Object.fromEntries(short.map(([name, one]) => [name, shorten(one)]));
  const [only, ...more] = Array.isArray(anyOf) ? (anyOf as Json[]).filter((one) => one['type'] !== 'null') : [];
  if (only && more.length === 0) return { ...(shorten(only) as Json), ...others };
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : type;
  return {
    ...(types !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
    ...others,
    ...(only && { anyOf: [only, ...more].map(shorten) }),
  };
}

function isLeftOut(name: string, value: unknown): boolean {
  // A property may be called as a keyword is: its schema is an object.
  if (LEFT_OUT.has(name)) return typeof value !== 'object' || Array.isArray(value);
  return typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER;
}
