/** Turns the schema of a body into a table of its fields. */
import type { JsonSchema, OpenApiDocument } from '../test/support/api-reference/document.ts';

/** A field of a request or an answer; `path` is dotted, with `[]` behind a list. */
export interface Field {
  path: string;
  type: string;
  isRequired: boolean;
  default: string;
  limit: string;
  meaning: string;
}

/** A longer meaning stands below the table: a cell of a table has at most 40 words. */
const MOST_WORDS = 40;
/** A longer enumeration has a page of its own: the error codes. */
const MOST_VALUES = 40;
/** zod writes these as the bounds of any integer. */
const ANY_INTEGER = Number.MAX_SAFE_INTEGER;

/** Lists the fields of an object, and of the objects and lists in it, in the order of the schema. */
export function listFields(schema: JsonSchema, document: OpenApiDocument, prefix = ''): Field[] {
  const resolved = resolve(schema, document);
  const { properties = {}, required = [] } = resolved.schema;
  return Object.entries(properties).flatMap(([name, written]) => {
    const { schema: field, isNullable } = resolve(written, document);
    const path = prefix + name;
    const inner = innermost(field, document);
    const nested = inner.depth >= 0 ? listFields(inner.schema, document, `${path}${'[]'.repeat(inner.depth)}.`) : [];
    const own: Field = {
      path,
      type: typeName(field, document) + (isNullable ? ' or null' : ''),
      isRequired: required.includes(name),
      default: field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``,
      limit: limitOf(field, document),
      meaning: field.description ?? exampleOf(field),
    };
    return [own, ...nested];
  });
}

/** A format is clear from an example where nothing describes it. */
function exampleOf({ type, examples, format, pattern }: JsonSchema): string {
  if (type !== 'string' || format === 'uuid' || pattern === undefined || examples?.[0] === undefined) return '';
  return `For example \`${String(examples[0])}\`.`;
}

/** The object that holds a field's fields, and how many lists are around it; depth -1 where there is none. */
function innermost(schema: JsonSchema, document: OpenApiDocument): { schema: JsonSchema; depth: number } {
  const { schema: field } = resolve(schema, document);
  if (field.properties) return { schema: field, depth: 0 };
  const choice = field.anyOf?.map((one) => resolve(one, document).schema).find((one) => one.properties);
  if (choice) return { schema: choice, depth: 0 };
  if (!field.items) return { schema: field, depth: -1 };
  const inner = innermost(field.items, document);
  return inner.depth < 0 ? inner : { schema: inner.schema, depth: inner.depth + 1 };
}

/** Resolves references and removes null. A keyword beside a reference or a choice takes precedence over the same keyword in the target. */
function resolve(schema: JsonSchema, document: OpenApiDocument): { schema: JsonSchema; isNullable: boolean } {
  const { $ref, anyOf, oneOf, ...rest } = schema;
  if ($ref !== undefined) {
    const found = document.components.schemas[$ref.replace('#/components/schemas/', '')];
    if (!found) throw new Error(`the document has no ${$ref}`);
    const target = resolve(found, document);
    return { schema: { ...target.schema, ...rest }, isNullable: target.isNullable };
  }
  const choices = anyOf ?? oneOf;
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => resolve(part, document).schema);
    const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Record<string, JsonSchema>;
    const required = parts.flatMap((part) => part.required ?? []);
    const { allOf: _, ...own } = schema;
    return { schema: { ...own, properties, required }, isNullable: false };
  }
  if (choices) {
    const others = choices.filter((one) => one.type !== 'null');
    const isNullable = others.length < choices.length;
    const [only] = others;
    if (others.length > 1 || !only) return { schema: { ...rest, anyOf: others }, isNullable };
    const target = resolve(only, document);
    return { schema: { ...target.schema, ...rest }, isNullable: isNullable || target.isNullable };
  }
  if (!Array.isArray(schema.type)) return { schema, isNullable: false };
  const type = schema.type.find((one) => one !== 'null') ?? 'null';
  return { schema: { ...schema, type }, isNullable: schema.type.includes('null') };
}

function typeName(schema: JsonSchema, document: OpenApiDocument): string {
  const { schema: field } = resolve(schema, document);
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum && field.enum.length > MOST_VALUES) return '[code](../errors.md)';
  if (field.enum) return field.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  if (field.anyOf) return [...new Set(field.anyOf.map((one) => typeName(one, document)))].join(' or ');
  if (field.items) {
    const item = typeName(field.items, document);
    return item.startsWith('`') ? `array of ${item}` : `array of ${item}s`.replace('array of array', 'array of arrays');
  }
  if (field.format === 'date-time') return 'instant';
  if (field.format === 'date') return 'date';
  if (field.format === 'uuid') return 'UUID';
  return typeof field.type === 'string' ? field.type : 'any';
}

function limitOf(schema: JsonSchema, document: OpenApiDocument): string {
  const { schema: field } = resolve(schema, document);
  if (field.type === 'string') return withUnit(range(field.minLength, field.maxLength), 'characters');
  if (field.type === 'array') return withUnit(range(field.minItems, field.maxItems), 'items');
  if (field.type !== 'integer' && field.type !== 'number') return '';
  const minimum = field.minimum === -ANY_INTEGER ? undefined : field.minimum;
  const maximum = field.maximum === ANY_INTEGER ? undefined : field.maximum;
  return range(minimum, maximum);
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  const [low, high] = [minimum, maximum].map((bound) => bound?.toLocaleString('en-US'));
  if (low !== undefined && low === high) return low;
  if (high !== undefined) return minimum === undefined || minimum === 0 ? `up to ${high}` : `${low}–${high}`;
  return low === undefined || minimum === 0 ? '' : `${low} or more`;
}

function withUnit(limit: string, unit: string): string {
  return limit === '' ? '' : `${limit} ${unit}`;
}

/** A Markdown table of the fields. Columns in which every cell would be empty are left out. */
export function renderFieldTable(fields: readonly Field[], kind: 'request' | 'answer' | 'body'): string {
  const columns: Array<[name: string, cell: (field: Field) => string]> =
    kind === 'request'
      ? [
          ['field', ({ path }) => `\`${path}\``],
          ['type', ({ type }) => type.replace(' or null', '')],
          ['required', ({ isRequired }) => (isRequired ? 'yes' : 'no')],
          ['default', (field) => field.default],
          ['limit', ({ limit }) => limit],
          ['meaning', ({ meaning }) => shortened(meaning)],
        ]
      : [
          [
            kind === 'answer' ? 'field of `data`' : 'field',
            ({ path, isRequired }) => `\`${path}\`${isRequired ? '' : ' (*optional*)'}`,
          ],
          ['type', ({ type }) => type],
          ['meaning', ({ meaning }) => shortened(meaning)],
        ];
  const used = columns.filter(([, cell], index) => index < 2 || fields.some((field) => cell(field) !== ''));
  const rows = [
    used.map(([name]) => name),
    used.map(() => '---'),
    ...fields.map((field) => used.map(([, cell]) => escape(cell(field)))),
  ];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const long = fields.filter(({ meaning }) => isLong(meaning)).map(({ path, meaning }) => `- \`${path}\`: ${meaning}`);
  return long.length === 0 ? table : `${table}\n\n${long.join('\n')}`;
}

function isLong(text: string): boolean {
  return text.split(/\s+/).length > MOST_WORDS;
}

function shortened(meaning: string): string {
  return isLong(meaning) ? 'see below' : meaning;
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
