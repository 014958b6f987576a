import { BufferJSON } from 'baileys';

/** JSON in which bytes survive. */
export function stringifyWithBytes(value: unknown): string {
  return JSON.stringify(value, BufferJSON.replacer);
}

export function parseWithBytes(json: string): unknown {
  return JSON.parse(json, BufferJSON.reviver);
}
