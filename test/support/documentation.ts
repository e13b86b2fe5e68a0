import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Text of a file by its path inside the project. */
export const textOf = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

/** Paths of all Markdown pages in `docs/`, such as `docs/how-to/deploy.md`. */
export async function documentationPages(): Promise<readonly string[]> {
  const files = await readdir(path.join(ROOT, 'docs'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .sort();
}

/** Returns the cells of a page's table rows whose first cell matches. */
export function tableRows(page: string, firstCell: RegExp): readonly (readonly string[])[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first = '']) => firstCell.test(first));
}

/** Returns the texts between backticks. */
export const codesIn = (text = ''): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
