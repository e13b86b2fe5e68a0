import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { ProjectFile } from './write-new-file.js';

/** The objects of a package.json that a project needs something in. */
type Manifest = Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>;

/**
 * The lines that a package.json which was kept lacks.
 *
 * @param template the one that was not written.
 */
export async function packageAdvice(folder: string, template: ProjectFile): Promise<readonly string[]> {
  const wanted = JSON.parse(template.text) as Manifest;
  const existing = manifestOf(await readFile(path.join(folder, template.path), 'utf8'));
  return ['scripts', 'dependencies'].flatMap((section) => {
    const has = { ...(section === 'dependencies' && existing['devDependencies']), ...existing[section] };
    const missing = Object.entries(wanted[section] ?? {}).filter(([key]) => !Object.hasOwn(has, key));
    if (missing.length === 0) return [];
    const pairs = missing.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
    return [`to ${JSON.stringify(section)}: ${pairs.join(', ')}`];
  });
}

/** The manifest in a text; empty for an invalid one, whose problem npm reports. */
function manifestOf(text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text.replace(/^\u{FEFF}/u, ''));
    return typeof value === 'object' && value !== null ? (value as Manifest) : {};
  } catch {
    return {};
  }
}
