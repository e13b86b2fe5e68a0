import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const inProject = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the page /docs loads, and under which terms. */
const SWAGGER_UI_FILES = [
  ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'],
  ...['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'],
];

/** Copies Swagger UI out of its package, which has ten times as much and an install script that reports to a third party. */
const copySwaggerUi: Plugin = {
  name: 'copy-swagger-ui',
  writeBundle: ({ dir = '' }) => {
    const target = path.join(dir, '../swagger-ui');
    mkdirSync(target, { recursive: true });
    for (const file of SWAGGER_UI_FILES) {
      cpSync(inProject(`../node_modules/swagger-ui-dist/${file}`), path.join(target, file));
    }
  },
};

/**
 * Builds two pages into `dist/console`: the console, which the gateway serves at `/`, and the admin page, which it serves on
 * its admin port. Copies the files of the page /docs. URLs are relative, so that a proxy can serve the gateway below a path.
 */
export default defineConfig({
  root: inProject('.'),
  base: './',
  publicDir: false,
  plugins: [copySwaggerUi],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: inProject('../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL in a style sheet would need more of the content security policy than files do.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [inProject('index.html'), inProject('admin.html')] },
  },
});
