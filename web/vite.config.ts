import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  build: {
    target: 'es2023',
    assetsDir: 'assets',
    // The policy of the pages takes nothing from within a page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // For servers that render; nobody but a browser runs what is built here.
      onLog: (level, log, tell) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : tell(level, log)),
    },
  },
  // For `npx vite web`, beside a service that runs.
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/session': 'http://127.0.0.1:3000' } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
});
