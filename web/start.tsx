import '@fontsource-variable/inter';
// In a CSS layer: our own styles win in any loading order. Only the styles of the sign-in form, in the order of the whole sheet, which
// loads later.
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/VisuallyHidden.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/ActionIcon.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Group.layer.css';
import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/Alert.layer.css';
import '@mantine/core/styles/Text.layer.css';
import '@mantine/core/styles/Anchor.layer.css';
import '@mantine/core/styles/InlineInput.layer.css';
import '@mantine/core/styles/Button.layer.css';
import '@mantine/core/styles/Center.layer.css';
import '@mantine/core/styles/PasswordInput.layer.css';
import '@mantine/core/styles/Skeleton.layer.css';
import '@mantine/core/styles/Stack.layer.css';
import '@mantine/core/styles/Title.layer.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { setSignedOutHandler } from './api/call.ts';
import { isDisconnected, startConnectionMonitor, onConnectionChange } from './api/connection.ts';
import { createQueryClient } from './api/query-client.ts';
import { endSession } from './api/session.ts';
import { App } from './app.tsx';
import { confirmBeforeUnload } from './drafts/unsaved-changes.ts';
import { lazyWithRetry } from './parts/lazy-with-retry.ts';
import { browserLocale } from './format/locale.ts';
import { setHourCycle } from './format/time.ts';
import { cssVariables, theme } from './theme.ts';
import { words } from './words/words.ts';

const Toasts = lazy(lazyWithRetry(async () => ({ default: (await import('./parts/toasts.tsx')).Toasts })));

const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
// Mantine's scroll lock writes a style element and reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const client = createQueryClient();
setSignedOutHandler(() => endSession(client));
startConnectionMonitor();
confirmBeforeUnload(client);
onConnectionChange(() => {
  if (!isDisconnected()) void client.refetchQueries({ type: 'active', stale: true });
});

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
document.documentElement.lang = words.language;
setHourCycle(browserLocale() ?? words.locale);
// Popovers are rendered into this landmark, so that they belong to a named region.
document.getElementById('layers')?.setAttribute('aria-label', words.layers);
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={client}>
        <Suspense>
          <Toasts />
        </Suspense>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
