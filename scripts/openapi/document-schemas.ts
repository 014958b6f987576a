import { isDeepStrictEqual } from 'node:util';
import { pascalCase } from './describe-failures.ts';
import type { DocumentedOperation, DocumentedResponse, OpenApiDocument } from './document-types.ts';

const PREFIX = '#/components/schemas/';
const JSON_TYPE = 'application/json';
/** What the generator appends to the name of a schema that is part of a request. */
const INPUT = 'Input';

interface Reference {
  $ref: string;
}
/** The envelope of a success and its `data`. */
interface Answer {
  allOf: [envelope: unknown, content: { properties: { data: unknown }; required: string[] }];
}

/**
 * Returns a generated part as clients need it. Allows additional fields in answers, so that fields can be added later, and overlapping forms
 * of a body. Writes the same schema in fewer words: without the bounds of any integer, without patterns that repeat a format, and with
 * `null` among the types.
 */
export function simplify<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(simplify) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key, value]) =>
      !isClosing(key, value) &&
      !isAnyInteger(key, value) &&
      !(key === 'pattern' && 'format' in part) &&
      !(key === 'minLength' && value === 0) &&
      !(key === 'examples' && 'format' in part && part.format === 'uuid'),
  );
  const simple = Object.fromEntries(kept.map(([key, value]) => simplifyWord(key, value)));
  return mergeNull(simple) as Part;
}

function simplifyWord(key: string, value: unknown): [key: string, value: unknown] {
  if (key === 'enum' && Array.isArray(value) && value.length === 1) return ['const', value[0]];
  return [key === 'oneOf' ? 'anyOf' : key, simplify(value)];
}

/** Turns a choice between a plain schema and null into one schema of two types. */
function mergeNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [plain, other] = anyOf as Array<Record<string, unknown>>;
  const isNull = other?.['type'] === 'null' && Object.keys(other).length === 1;
  if (!isNull || typeof plain?.['type'] !== 'string' || 'enum' in plain || 'const' in plain) return schema;
  return { ...plain, ...rest, type: [plain['type'], 'null'] };
}

function isClosing(key: string, value: unknown): boolean {
  return key === 'additionalProperties' && value === false;
}

function isAnyInteger(key: string, value: unknown): boolean {
  return (
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

/**
 * Gives every body a name among the schemas, so that generated clients have types with names: `GetCampaignInput`, `GetCampaignAnswer` and
 * `GetCampaignData`, and `CampaignLateMessage` of a webhook.
 */
export function nameSchemas(document: OpenApiDocument): OpenApiDocument {
  const schemas = { ...document.components.schemas };
  const name = (schema: unknown, wanted: string): Reference => {
    if (isReference(schema)) return schema;
    if (wanted in schemas) throw new Error(`two schemas have the name ${wanted}`);
    schemas[wanted] = schema;
    return { $ref: PREFIX + wanted };
  };
  const nameAnswer = ({ content }: DocumentedResponse, base: string): void => {
    const answer = content?.[JSON_TYPE];
    if (!answer || isReference(answer.schema)) return;
    const [envelope, { properties, required }] = (answer.schema as Answer).allOf;
    const data = name(properties.data, `${base}Data`);
    answer.schema = name({ allOf: [envelope, { required, properties: { data } }] }, `${base}Answer`);
  };
  const confirmed = document.components.responses?.['Confirmed'];
  if (confirmed) nameAnswer(confirmed as DocumentedResponse, 'NoData');
  const paths = [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})];
  for (const { operationId, requestBody, responses } of paths.flatMap(listMethods)) {
    const body = requestBody?.content[JSON_TYPE];
    const isMessage = operationId.includes('.');
    if (body) body.schema = name(body.schema, pascalCase(operationId) + (isMessage ? 'Message' : INPUT));
    nameAnswer(responses['200'] ?? {}, pascalCase(operationId));
  }
  return { ...document, components: { ...document.components, schemas } };
}

function listMethods(path: Record<string, DocumentedOperation>): DocumentedOperation[] {
  return Object.values(path);
}

function isReference(schema: unknown): schema is Reference {
  return typeof schema === 'object' && schema !== null && '$ref' in schema;
}

/**
 * The generator makes two schemas of one that requests and answers have in common. Keeps one where both are the same, then of those that
 * refer to these.
 */
export function mergeInputs(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const twins = Object.keys(schemas).filter((name) => isDeepStrictEqual(schemas[name], schemas[name + INPUT]));
  const before = JSON.stringify(document);
  const after = twins.reduce(
    (text, name) => text.replaceAll(`"${PREFIX}${name}${INPUT}"`, `"${PREFIX}${name}"`),
    before,
  );
  return after === before ? document : mergeInputs(JSON.parse(after) as OpenApiDocument);
}

/** Drops unreferenced schemas. */
export function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { schemas: all, ...components } = document.components;
  const used = new Set<string>();
  const open: unknown[] = [{ ...document, components }];
  for (let value = open.pop(); value !== undefined; value = open.pop())
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      open.push(all[name]);
    }
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
  return { ...document, components: { ...components, schemas } };
}

interface ObjectSchema {
  properties: Record<string, unknown>;
  required?: string[];
}
/** Fewer bytes are not worth a reference. */
const LEAST_SAVED = 300;

/**
 * Says the fields that an object shares with a named one by a reference to that: the forms of `check-campaign` have those of the operations
 * that add a campaign. A constant may stand for a choice of the named one.
 */
export function inherit(document: OpenApiDocument): OpenApiDocument {
  const bases = Object.entries(document.components.schemas).filter((entry): entry is [string, ObjectSchema] =>
    isObjectSchema(entry[1]),
  );
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const derived = isObjectSchema(value) ? derive(value, bases) : value;
    return Object.fromEntries(Object.entries(derived).map(([key, part]) => [key, walk(part)]));
  };
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, walk(schema)]),
  );
  return { ...document, components: { ...document.components, schemas } };
}

function isObjectSchema(value: unknown): value is ObjectSchema {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value && !('allOf' in value);
}

function derive(schema: ObjectSchema, bases: ReadonlyArray<[string, ObjectSchema]>): object {
  const { properties, required = [], ...others } = schema;
  const fitting = bases.filter(([, base]) => base !== schema && isPartOf(base, schema));
  const [name, base] = fitting.toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one))[0] ?? [];
  if (base === undefined || JSON.stringify(base.properties).length < LEAST_SAVED) return schema;
  const own = Object.entries(properties).filter(([key, value]) => !isDeepStrictEqual(base.properties[key], value));
  const ownRequired = required.filter((key) => !base.required?.includes(key));
  const rest = {
    properties: Object.fromEntries(own),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  };
  return { ...others, allOf: [{ $ref: `${PREFIX}${name}` }, rest] };
}

function sizeOf({ properties }: ObjectSchema): number {
  return Object.keys(properties).length;
}

function isPartOf(base: ObjectSchema, { properties, required = [] }: ObjectSchema): boolean {
  return (
    sizeOf(base) < Object.keys(properties).length &&
    (base.required ?? []).every((key) => required.includes(key)) &&
    Object.entries(base.properties).every(([key, value]) => {
      const own = properties[key];
      return isDeepStrictEqual(own, value) || (typeof own === 'object' && own !== null && 'const' in own);
    })
  );
}
