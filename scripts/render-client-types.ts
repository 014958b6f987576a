/** Renders the types of the TypeScript client: plain TypeScript that names no schema library, derived from the contract. */
import { z } from 'zod';
import { listContracts } from '../src/api/contract/contract.ts';
import type { OperationContract } from '../src/api/contract/define-operations.ts';
import { streamedEvent } from '../src/api/contract/events.ts';
import { WEBHOOK_EVENTS } from '../src/api/contract/webhook-events.ts';

type JsonSchema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;
/** Schemas with an id, by that id: each becomes a named type. */
type Definitions = Map<string, JsonSchema>;

/** Rendered as a generic type of its own below, or of no use to a client. */
const OWN_TYPES = new Set(['FileBytes', 'MessageEvent', 'StreamedEvent']);

const HEAD = `/** The types of all operations and events. \`npm run docs\` writes this file from the contract of the service. */`;

/** Returns the source of the types. The caller formats it. */
export function renderClientTypes(): string {
  const definitions: Definitions = new Map();
  const operations = listContracts().map((one) => {
    const doc = docComment([one.summary, one.description ?? ''].filter(Boolean).join('. '));
    const body = one.takesFile ? 'FileBody' : typeOf(toSchema(one.body, 'input', definitions));
    return `${doc}'${one.path.replace('/api/v1/', '')}': { body: ${body}; data: ${dataOf(one, definitions)} };`;
  });
  const events = Object.entries(WEBHOOK_EVENTS).map(
    ([type, { summary, data }]) => `${docComment(summary)}'${type}': ${typeOf(toSchema(data, 'output', definitions))};`,
  );
  toSchema(streamedEvent, 'output', definitions);
  return `${HEAD}
${[...definitions]
  .filter(([name]) => !OWN_TYPES.has(name))
  .map(renderDefinition)
  .join('\n')}
/** A file to upload. The name of a \`File\` goes along. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
/** Request body and \`data\` of each operation, by its path without \`/api/v1/\`. */
export interface Operations { ${operations.join('\n')} }
/** The \`data\` of each event, by its type. */
export interface EventData { ${events.join('\n')} }
/** An event of the workspace. Later versions of the service may add types. */
export type MessageEvent = {
  [Type in keyof EventData]: { type: Type; timestamp: string; data: EventData[Type] };
}[keyof EventData];
`;
}

function dataOf({ answerType, data }: OperationContract, definitions: Definitions): string {
  return answerType === '*/*' ? 'Blob' : typeOf(toSchema(data, 'output', definitions));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output', definitions: Definitions): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  for (const [name, found] of Object.entries($defs) as Array<[string, JsonSchema]>) {
    const known = definitions.get(name);
    if (known && typeOf(known) !== typeOf(found)) throw new Error(`${name} is the id of two different schemas`);
    definitions.set(name, found);
  }
  return root as JsonSchema;
}

function renderDefinition([name, schema]: [string, JsonSchema]): string {
  const type = typeOf(schema);
  const isInterface = type.startsWith('{') && schema.properties !== undefined;
  return `${docComment(schema.description)}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type};`}`;
}

/** Returns a schema as a TypeScript type. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((one) => typeOf(one as JsonSchema)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${typeOf(schema.items as JsonSchema)}>`;
    case 'object':
      return objectType(schema);
    case undefined:
      return 'unknown';
    default:
      return schema.type;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`;
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) => {
    const meaning = [
      field.description ?? '',
      field.default === undefined ? '' : `Default: \`${JSON.stringify(field.default)}\`.`,
    ];
    const isRequired = required.includes(name);
    const type = typeOf(field);
    return `${docComment(meaning.filter(Boolean).join(' '))}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{ ${fields.join('\n')} }`;
}

/** Returns a documentation comment with a line break, or an empty string without a text. */
function docComment(text = ''): string {
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
