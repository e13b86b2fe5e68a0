import type { Command } from 'commander';

import { commandWords } from '../../../src/cli/completion/command-words.js';
import { fishCompletion } from '../../../src/cli/completion/fish.js';
import { zshCompletion } from '../../../src/cli/completion/zsh.js';
import { createProgram } from '../../../src/cli/program.js';

const words = commandWords(createProgram(), ['logs.all', 'usage.api-counts']);
const at = (...path: string[]): (typeof words)[number] | undefined =>
  words.find((command) => command.path.join() === path.join());

describe('the words of the command line', () => {
  it('has every subcommand, of keys as well', () => {
    expect(at()?.subcommands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['serve', 'call', 'check', 'keys', 'migrate', 'load', 'bench', 'bench-cached']),
    );
    expect(at('keys')?.subcommands.map(({ name }) => name)).toEqual([
      'add',
      'list',
      'rotate',
      'revoke',
      'link',
    ]);
  });

  it('knows endpoints, choices and files', () => {
    const value = (command: string, flag: string): unknown =>
      at(command)?.options.find((option) => option.flag === flag)?.value;
    expect(at('check')?.arguments.words).toEqual(['logs.all', 'usage.api-counts']);
    expect(value('call', '--format')).toMatchObject({
      words: expect.arrayContaining(['csv', 'parquet']) as unknown,
    });
    expect(value('call', '--output')).toEqual({ words: [], isFile: true });
    expect(value('call', '--headers')).toBeUndefined();
    expect(at('load')?.arguments.isFile).toBe(true);
  });

  it('makes scripts for zsh and fish with all of them', () => {
    for (const script of [zshCompletion(words), fishCompletion(words)]) {
      for (const word of ['bench-cached', 'rotate', 'usage.api-counts', 'parquet', 'may-bypass-cache']) {
        expect(script).toContain(word);
      }
    }
  });
});

describe('the help', () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const commands = all(createProgram());

  it.each(commands.map((command) => [command.name(), command] as const))(
    'of %s has examples',
    (_name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).toMatch(/Examples?:\n {2}/);
      if (command.commands.length === 0 && command.parent?.name() !== 'keys')
        expect(help).toMatch(/Exit codes: 0/);
    },
  );
});
