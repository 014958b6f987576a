import { join } from 'node:path';
import { readDocument } from './own-document.ts';

export const OPENAPI_FIXTURE = join(import.meta.dirname, '../../contract/openapi.json');

/** Texts for people, with the type that distinguishes them from fields of the same name. */
const isText = (key: string, value: unknown) =>
  (['description', 'summary', 'title'].includes(key) && typeof value === 'string') ||
  (key === 'examples' && Array.isArray(value)) ||
  // Of a request or an answer; api-reference.test.ts compares these.
  (key === 'example' && value !== undefined);

/** Returns the OpenAPI document without texts, without the version and with sorted keys: the part that programs rely on. */
export async function readDocumentStructure(): Promise<unknown> {
  const { info: _, ...document } = (await readDocument()) as Record<string, unknown>;
  return structureOf(document);
}

function structureOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structureOf);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, part]) => !isText(key, part));
  const sorted = kept.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, part]) => [key, abbreviate(structureOf(part))]));
}

/** Writes an object of plain values in one line, so that differences stay readable. */
function abbreviate(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const entries = Object.entries(part);
  const isPlain = entries.length > 0 && entries.every(([, value]) => typeof value !== 'object' || value === null);
  if (!isPlain) return part;
  return `{ ${entries.map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll('"', '')}`).join(', ')} }`;
}
