/** Reads the OpenAPI document of a service and generates bodies from it. */
import { findExample } from '../../../scripts/openapi/operation-examples.ts';
import { listContracts } from '../../../src/api/contract/contract.ts';
import { statusOf } from '../../../src/api/server/envelope.ts';
import { listErrorCodes } from '../../../scripts/openapi/operation-errors.ts';
import type { ErrorCode } from '../../../src/platform/errors/error-codes.ts';

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
  /** The body of its recorded example. */
  example: unknown;
  /** Every error code that it is declared to answer. */
  codes: ErrorCode[];
  /** Every status that it is declared to answer; only 200 of an operation that the contract does not have. */
  statuses: number[];
}

interface WrittenOperation {
  operationId: string;
  security?: Array<{ api_key?: string[] }>;
  requestBody: { content: Record<string, { schema: unknown }> };
}

interface WrittenDocument {
  paths: Record<string, { post?: WrittenOperation }>;
  components: Record<string, Record<string, unknown>>;
}

/** All operations that the service at `url` documents; each is a POST. */
export async function readOperations(url: string): Promise<DocumentedOperation[]> {
  return operationsOf(await (await fetch(`${url}/openapi.json`)).json());
}

/** All operations of an OpenAPI document. */
export function operationsOf(openapi: unknown): DocumentedOperation[] {
  const document = openapi as WrittenDocument;
  return Object.entries(document.paths).flatMap(([path, { post }]) =>
    post ? [described(path, post, document.components)] : [],
  );
}

function described(
  path: string,
  written: WrittenOperation,
  components: WrittenDocument['components'],
): DocumentedOperation {
  const declared = listContracts().find((contract) => contract.path === path);
  const codes = declared ? listErrorCodes(declared) : [];
  const [body] = Object.values(written.requestBody.content);
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isBearer: (written.security ?? []).length > 0,
    takesKeys: (written.security ?? []).some((one) => one.api_key !== undefined),
    body: followed(body?.schema, components) as Schema,
    example: findExample(written.operationId),
    codes,
    statuses: [200, ...new Set(codes.map(statusOf))],
  };
}

/** Returns a part of a document with every reference resolved. */
function followed(value: unknown, components: WrittenDocument['components']): unknown {
  if (Array.isArray(value)) return value.map((one) => followed(one, components));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) {
    const [, , kind = '', name = ''] = String(value.$ref).split('/');
    return followed(components[kind]?.[name], components);
  }
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, followed(one, components)]),
  ) as { allOf?: Schema[] };
  return allOf ? { ...rest, ...mergeParts(allOf) } : rest;
}

/** Returns the fields of all parts of an object; a later part narrows an earlier one. */
function mergeParts(parts: readonly Schema[]): Schema {
  return {
    properties: Object.assign({}, ...parts.map(({ properties = {} }) => properties)) as Record<string, Schema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
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

const A_UUID = '5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10';

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
      return plain.format === 'uuid' ? A_UUID : 'x'.repeat(Math.max(plain.minLength ?? 1, 1));
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
