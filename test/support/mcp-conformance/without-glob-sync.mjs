/**
 * Preload of the MCP conformance suite in Node.js 20, which has no `fs.globSync`: the suite imports it by name, and uses it only
 * in commands that the tests do not run.
 */
import { register } from 'node:module';

/** @param {string} source */
const asModule = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

const FS = asModule(`
export * from 'node:fs';
export { default } from 'node:fs';
export const globSync = undefined;
`);

register(
  asModule(`
export async function resolve(specifier, context, next) {
  const isFs = specifier === 'fs' || specifier === 'node:fs';
  if (!isFs || !context.parentURL?.includes('/conformance/')) return next(specifier, context);
  return { url: ${JSON.stringify(FS)}, format: 'module', shortCircuit: true };
}`),
);
