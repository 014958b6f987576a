import { followWorkspaceLink } from './api/chosen-workspace.ts';
import { keepInvitation } from './api/kept-invitation.ts';
import { prefetch } from './api/prefetch.ts';
import { currentLanguage, loadSignInMessages, regionalLocale } from './i18n/languages.ts';
import { setMessages } from './i18n/translate.ts';

/** i18n: loads the messages of the language first, then the modules that show them. */
async function start(): Promise<void> {
  const language = currentLanguage();
  setMessages(language, await loadSignInMessages(language), regionalLocale(language));
  await import('./start.tsx');
}

followWorkspaceLink();
keepInvitation();
// Another invitation in the same tab changes the fragment alone.
addEventListener('hashchange', () => {
  if (location.pathname === '/join') location.reload();
});
prefetch('/session');
void start();
