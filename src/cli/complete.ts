import { Command } from 'commander';

import { projectFolder } from '../config/project.js';

/** `querygate complete`: prints the words that can stand in place of the last one; the scripts of `completion` run it. */
export function completeCommand(program: Command): Command {
  return new Command('complete').argument('[words...]').action(async (words: readonly string[]) => {
    const [{ candidatesFor }, { valuesOfProject }, { readWords }] = await Promise.all([
      import('./completion/candidates.js'),
      import('./completion/project-values.js'),
      import('./completion/typed-words.js'),
    ]);
    const given = readWords(program, words.slice(0, -1)).values.get('--project')?.[0];
    const folder = projectFolder({ PROJECT_DIR: given ?? process.env['PROJECT_DIR'] });
    const candidates = await candidatesFor(program, words, valuesOfProject(folder));
    const lines = candidates.map(({ value, description }) => `${value}\t${firstLine(description)}\n`);
    process.stdout.write(lines.join(''));
  });
}

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').replaceAll('\t', ' ');
