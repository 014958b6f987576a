import { followWorkspaceLink } from './api/chosen-workspace.ts';
import { prefetch } from './api/prefetch.ts';
import { currentLanguage, loadSignInMessages } from './i18n/languages.ts';
import { setMessages } from './i18n/translate.ts';

/** i18n: loads the messages of the language first, then the modules that show them. */
async function start(): Promise<void> {
  const language = currentLanguage();
  setMessages(language, await loadSignInMessages(language));
  await import('./start.tsx');
}

followWorkspaceLink();
prefetch('/session');
void start();
