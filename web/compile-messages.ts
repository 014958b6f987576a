import { basename, dirname, join } from 'node:path';
import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';

const CATALOGS = join(import.meta.dirname, '../messages');

/** Compiles the ICU messages of the catalogs, so that the page needs no parser. Mails, and the page before the dashboard is built, are written by the service alone. */
export function compileMessages(): Plugin {
  return {
    name: 'compile-messages',
    enforce: 'pre',
    transform(code, id) {
      if (dirname(id) !== CATALOGS || !basename(id).endsWith('.json')) return undefined;
      const catalog = JSON.parse(code) as Record<string, string>;
      const entries = Object.entries(catalog).filter(([key]) => !/^(?:mails|building)\./.test(key));
      const compiled = entries.map(([key, message]) => [key, compile(message)]);
      return { code: JSON.stringify(Object.fromEntries(compiled)), map: null };
    },
  };
}
