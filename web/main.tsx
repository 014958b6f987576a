import '@fontsource-variable/inter';
// In a layer: whatever is styled here wins, in whichever order the files of the pages arrive.
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { whenSignedOut } from './api/call.ts';
import { endSession } from './api/session.ts';
import { App } from './app.tsx';
import { cssVariables, theme } from './theme.ts';
import { words } from './words/words.ts';

const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
// What keeps a page from scrolling below a dialog writes a style element of its own, and looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client tries again by itself what can be tried again.
      retry: false,
    },
  },
});
whenSignedOut(() => endSession(client));

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
document.documentElement.lang = words.language;
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={client}>
        <Notifications position="top-right" transitionDuration={120} />
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
