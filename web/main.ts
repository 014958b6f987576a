import { prefetch } from './api/prefetch.ts';
import { currentLanguage, loadMessages } from './i18n/languages.ts';
import { setMessages } from './i18n/translate.ts';

/** i18n: loads the messages of the language first, then the modules that show them. */
async function start(): Promise<void> {
  const language = currentLanguage();
  const messages = await loadMessages(language);
  // During development a message may be in English alone; the tests keep a build from lacking any.
  setMessages(language, import.meta.env.DEV ? { ...(await loadMessages('en')), ...messages } : messages);
  await import('./start.tsx');
}

prefetch('/session');
void start();
