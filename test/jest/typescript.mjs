/** Node's hooks (https://nodejs.org/docs/latest-v20.x/api/module.html#hooks) that load TypeScript, translated by swc. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const ROOT = new URL('../../', import.meta.url).href;
/** As a package it would be the build. */
const QUERYGATE = new URL('src/endpoint/index.ts', ROOT).href;

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const { parentURL = '' } = context;
  if (specifier === 'querygate' && parentURL.startsWith(`${ROOT}endpoints/`))
    return { url: QUERYGATE, shortCircuit: true };
  if (parentURL.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(specifier)) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code: source } = await transform(await readFile(filename, 'utf8'), { filename });
  return { format: 'module', source, shortCircuit: true };
}
