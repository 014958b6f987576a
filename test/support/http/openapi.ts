/** Reads the OpenAPI document of a service and generates bodies from it. */

/** The part of JSON Schema that `/openapi.json` uses, with references resolved. */
export interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  examples?: unknown[];
  default?: unknown;
}

/** One documented operation. */
export interface DocumentedOperation {
  /** `/api/v1/venom/get-campaign` */
  path: string;
  /** `get-campaign` */
  name: string;
  isBearer: boolean;
  /** Whether an API key with its scope may call it. */
  takesKeys: boolean;
  body: Schema;
  /** Every documented status. */
  statuses: number[];
}

interface WrittenOperation {
  security?: unknown[];
  description?: string;
  requestBody: { content: { 'application/json': { schema: unknown } } };
  responses: Record<string, unknown>;
}

/** All operations that the service at `url` documents; each is a POST. */
export async function readOperations(url: string): Promise<DocumentedOperation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: WrittenOperation }>;
    components: { schemas: Record<string, unknown> };
  };
  return Object.entries(document.paths).flatMap(([path, { post }]) =>
    post ? [described(path, post, document.components.schemas)] : [],
  );
}

function described(path: string, written: WrittenOperation, named: Record<string, unknown>): DocumentedOperation {
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isBearer: (written.security ?? []).length > 0,
    takesKeys: /scope `(read|send|admin)`/.test(written.description ?? ''),
    body: followed(written.requestBody.content['application/json'].schema, named) as Schema,
    statuses: Object.keys(written.responses).map(Number),
  };
}

/** Returns a schema with every reference resolved. */
function followed(value: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => followed(one, named));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return followed(named[String(value.$ref).replace('#/components/schemas/', '')], named);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, followed(one, named)]));
}

/** Returns the alternatives of a body; usually one. */
export function formsOf(schema: Schema): Schema[] {
  return schema.oneOf ?? [schema];
}

/** Returns the first alternative of a schema that is not null. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, oneOf, ...rest } = schema;
  const choice = (anyOf ?? oneOf)?.find((one) => one.type !== 'null');
  return choice ? { ...rest, ...withoutNull(choice) } : schema;
}

/** Returns the type of a schema; the first that is not null. */
export function typeOf(schema: Schema): string {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.find((type) => type !== 'null') ?? 'any';
}

/**
 * Returns a valid value of a schema: its constant, its first example or choice, or else the smallest value of its type. Omits optional
 * fields, except those in `given`. A value in `given` is used for every field of that name.
 */
export function exampleOf(schema: Schema, given: Readonly<Record<string, unknown>> = {}): unknown {
  const plain = withoutNull(schema);
  for (const known of [plain.const, plain.examples?.[0], plain.enum?.[0], plain.default])
    if (known !== undefined) return known;
  switch (typeOf(plain)) {
    case 'object':
      return exampleObject(plain, given);
    case 'array':
      return Array.from({ length: plain.minItems ?? 0 }, () => exampleOf(plain.items ?? {}, given));
    case 'integer':
    case 'number':
      return Math.min(Math.max(plain.minimum ?? 1, 1), plain.maximum ?? 1);
    case 'boolean':
      return false;
    case 'string':
      return 'x'.repeat(Math.max(plain.minLength ?? 1, 1));
    default:
      throw new Error(`no example can be made of ${JSON.stringify(schema)}`);
  }
}

function exampleObject(schema: Schema, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    fields
      .filter(([name]) => name in given || schema.required?.includes(name))
      .map(([name, field]) => [name, name in given ? given[name] : exampleOf(field, given)]),
  );
}
