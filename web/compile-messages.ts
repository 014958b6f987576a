import { basename, dirname, join } from 'node:path';
import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';

const CATALOGS = join(import.meta.dirname, '../messages');

/** The groups of messages that visitors who are not signed in may see first. A test finds what is missing here. */
const SIGN_IN_GROUPS =
  /^(?:common|connection|problems|fields|issues|notFound|signIn|signUp|forgot|reset|verify|accept|goodbye)\./;
/** Messages of another group that the sign-in form shows. */
const SIGN_IN_FACTORS = /^factors\.(?:byPasskey|code|codeHint|passkeyFailed|wrongCode)$/;

/** Returns whether the sign-in form may show a message. */
export function isSignInMessage(key: string): boolean {
  return SIGN_IN_GROUPS.test(key) || SIGN_IN_FACTORS.test(key);
}

/**
 * Compiles the ICU messages of the catalogs, so that the page needs no parser. `en.json?sign-in` has the messages of the sign-in form,
 * `en.json?signed-in` all others. The service alone writes mails, posts for a review, and the page before the dashboard is built.
 */
export function compileMessages(): Plugin {
  return {
    name: 'compile-messages',
    enforce: 'pre',
    transform(code, id) {
      const [path = '', part] = id.split('?');
      if (dirname(path) !== CATALOGS || !basename(path).endsWith('.json')) return undefined;
      const catalog = JSON.parse(code) as Record<string, string>;
      const entries = Object.entries(catalog).filter(
        ([key]) => !/^(?:mails|building|review)\./.test(key) && isSignInMessage(key) === (part === 'sign-in'),
      );
      const compiled = entries.map(([key, message]) => [key, compile(message)]);
      return { code: `export default ${JSON.stringify(Object.fromEntries(compiled))}`, moduleType: 'js', map: null };
    },
  };
}
