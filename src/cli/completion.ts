import { Argument, Command } from 'commander';

import { bashCompletion } from './completion/bash.js';
import { commandWords, type CommandWords } from './completion/command-words.js';
import { fishCompletion } from './completion/fish.js';
import { zshCompletion } from './completion/zsh.js';
import { deployedEndpoints } from './deployed-endpoints.js';
import { runCommand } from './run-command.js';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Readonly<
  Record<string, (commands: readonly CommandWords[]) => string>
>;

/**
 * `querygate completion`: a script that completes the command line.
 *
 * @param program gives the whole tree of commands, this one among them.
 */
export function completionCommand(program: () => Command): Command {
  return new Command('completion')
    .description('Prints a script that completes the command line: subcommands, options and endpoints.')
    .addArgument(new Argument('<shell>', 'which shell it is for').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(querygate completion bash)
  querygate completion zsh > ~/.zfunc/_querygate
  querygate completion fish > ~/.config/fish/completions/querygate.fish

Exit codes: 0 printed; 1 failed; 2 wrong usage.`,
    )
    .action((shell: keyof typeof SCRIPTS) =>
      runCommand(async () => {
        const names = (await deployedEndpoints()).all().map(({ name }) => name);
        process.stdout.write(SCRIPTS[shell](commandWords(program(), names)));
      }),
    );
}
