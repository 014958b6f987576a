/** Writes the parameters of messages as types, from the English catalog: `npm run messages`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { readCatalog } from '../src/platform/i18n/load-messages.ts';

export const TYPES_FILE = 'messages/parameters.ts';

const HEAD = `/** Made from \`messages/en.json\` by \`npm run messages\`: what each message with parameters is given. */
export interface MessageParameters {
`;

/** What the compiler writes for `{n, number}` and `{n, plural, …}`; `{name}` has no type. */
const NUMBER_TYPES = new Set<unknown>([2, 3, 4]);

/** Returns the parameters of an ICU message: numbers where it counts or formats them, else texts. */
export function parametersOf(message: string): Map<string, 'number' | 'string'> {
  const found = new Map<string, 'number' | 'string'>();
  const visitAll = (nodes: unknown) => {
    if (!Array.isArray(nodes)) return;
    for (const node of nodes as unknown[]) if (Array.isArray(node)) visit(node);
  };
  const visit = ([name, type, options]: unknown[]) => {
    found.set(String(name), NUMBER_TYPES.has(type) ? 'number' : 'string');
    if (typeof options === 'object' && options !== null) Object.values(options).forEach(visitAll);
  };
  visitAll(compile(message));
  return found;
}

/** Returns the whole file. */
export function messageTypes(): string {
  const lines = Object.entries(readCatalog('en')).flatMap(([key, message]) => {
    const parameters = [...parametersOf(message)].map(([name, type]) => `${name}: ${type}`);
    return parameters.length === 0 ? [] : [`  '${key}': { ${parameters.join('; ')} };\n`];
  });
  return `${HEAD}${lines.join('')}}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', TYPES_FILE), messageTypes());
