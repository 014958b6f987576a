import { prefetch } from './api/prefetch.ts';
import { chooseLanguage, storedLanguage, LANGUAGES } from './words/languages.ts';
import { setLocale, type Words } from './words/words.ts';

/** i18n: loads the messages of the locale first, then the modules that show them. */
async function start(): Promise<void> {
  const spoken = await LANGUAGES[storedLanguage() ?? chooseLanguage(navigator.languages)].load();
  setLocale(import.meta.env.DEV ? withEnglishFallback(await LANGUAGES.en.load(), spoken) : spoken);
  await import('./start.tsx');
}

/** Development only: texts that exist only in English so far are shown in English. The build rejects missing ones. */
function withEnglishFallback(english: Words, spoken: Words): Words {
  const fill = (from: object, own: object): object =>
    Object.fromEntries(
      Object.entries(from).map(([key, value]) => {
        const said: unknown = Reflect.get(own, key);
        const isNested =
          typeof value === 'object' && !Array.isArray(value) && typeof said === 'object' && said !== null;
        return [key, isNested ? fill(value as object, said) : (said ?? value)];
      }),
    );
  return fill(english, spoken) as Words;
}

prefetch('/session');
void start();
