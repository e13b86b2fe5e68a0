import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const inProject = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the two pages into `dist/console`: the console that the gateway serves at `/`, and the operator's page of its
 * admin port. Addresses are relative, so that a proxy may put the gateway below a path.
 */
export default defineConfig({
  root: inProject('.'),
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: inProject('../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL in a style sheet would need more of the content security policy than files do.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [inProject('index.html'), inProject('operator.html')] },
  },
});
