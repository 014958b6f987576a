import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { compileMessages } from './compile-messages.ts';
import { listPackages } from './list-packages.ts';

/** Preloads the files that the first script will import, which saves round trips on slow connections. */
function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (!bundle) return [];
        const start = Object.values(bundle).find(
          (part) => part.type === 'chunk' && part.facadeModuleId?.endsWith('/start.tsx') === true,
        );
        if (start?.type !== 'chunk') throw new Error('there is no start.tsx in the build');
        const parts = new Map<string, Rolldown.OutputChunk>();
        const collect = (name: string) => {
          const part = bundle[name];
          if (part?.type !== 'chunk' || parts.has(name)) return;
          parts.set(name, part);
          for (const imported of part.imports) collect(imported);
        };
        collect(start.fileName);
        const sheets = new Set([...parts.values()].flatMap((part) => [...(part.viteMetadata?.importedCss ?? [])]));
        const scripts = [...parts.keys()].map((name) => ({ rel: 'modulepreload', href: `/${name}` }));
        const styles = [...sheets].map((name) => ({
          rel: 'preload',
          as: 'style',
          href: `/${name}`,
        }));
        return [...styles, ...scripts].map((attributes) => ({
          tag: 'link',
          attrs: { ...attributes, crossorigin: true },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

/**
 * The libraries of the sign-in form are one file: on a slow connection the headers of many small files cost time. Our own modules are left
 * out, since they are loaded after the messages.
 */
const SIGN_IN_LIBRARIES = new RegExp(
  [
    String.raw`/@mantine/core/esm/components/(ActionIcon|Anchor|Button|Center|CloseButton|Group|Input|Loader|Paper|PasswordInput|Skeleton|Stack|Text|TextInput|Title|UnstyledButton)/`,
    String.raw`/node_modules/(@tanstack|wouter|regexparam|use-sync-external-store)/`,
  ].join('|'),
);

export default defineConfig({
  plugins: [compileMessages(), listPackages(), preloadStart()],
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  build: {
    target: 'es2023',
    assetsDir: 'assets',
    // The CSP forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'sign-in', test: SIGN_IN_LIBRARIES }] } },
      // "use client" directives are for server rendering.
      onLog: (level, log, next) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : next(level, log)),
    },
  },
  // For `npx vite web`, beside a running service.
  server: { proxy: Object.fromEntries(['/api', '/session', '/health'].map((path) => [path, 'http://127.0.0.1:3000'])) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
});
