import type { SharedComponents } from './shared-components.ts';

/** The part of an OpenAPI document that is completed after its generation. */
export interface OpenApiDocument {
  info: object;
  paths: Record<string, { post?: DocumentedOperation; get?: DocumentedOperation }>;
  webhooks?: Record<string, { post: DocumentedOperation }>;
  components: { schemas: Record<string, unknown> } & Partial<SharedComponents>;
}
export interface DocumentedOperation {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, DocumentedResponse>;
  parameters?: unknown[];
}
export interface MediaType {
  schema: unknown;
  example?: unknown;
}
export interface DocumentedResponse {
  description?: string;
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}
