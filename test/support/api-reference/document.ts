/** The part of an OpenAPI 3.1 document that the API reference uses. */
export interface OpenApiDocument {
  tags: Array<{ name: string; description: string }>;
  paths: Record<string, { post?: OpenApiOperation; get?: OpenApiOperation }>;
  webhooks: Record<string, { post: OpenApiOperation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
    headers: Record<string, { description?: string }>;
    parameters: Record<string, OpenApiParameter>;
  };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Array<{ api_key?: string[] }>;
  parameters?: Array<OpenApiParameter | Reference>;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, OpenApiResponse | Reference>;
}

interface Reference {
  $ref: string;
}

export interface OpenApiParameter {
  name: string;
  in: string;
  description?: string;
  schema?: JsonSchema;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description?: string } | Reference>;
  content?: Record<string, { schema: JsonSchema }>;
}

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
  default?: unknown;
  description?: string;
  deprecated?: boolean;
  examples?: unknown[];
}

/** Returns a part of the document, with a reference to a shared part resolved. */
export function follow<Part extends object>(document: OpenApiDocument, part: Part | Reference): Part {
  if (!('$ref' in part)) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  const shared = (document.components as Record<string, Record<string, unknown>>)[kind]?.[name];
  if (shared === undefined) throw new Error(`the document has no ${part.$ref}`);
  return shared as Part;
}

/** Returns the schema of `data` in an operation's answer; undefined where the answer has no envelope. */
export function dataSchemaOf(document: OpenApiDocument, { responses }: OpenApiOperation): JsonSchema | undefined {
  const schema = follow<OpenApiResponse>(document, responses['200'] ?? { description: '' }).content?.[
    'application/json'
  ]?.schema;
  if (!schema) return undefined;
  return follow<JsonSchema>(document, schema as JsonSchema | Reference).allOf?.[1]?.properties?.['data'];
}
