import { Argument, Command } from 'commander';

import { completionScript, SHELLS, type Shell } from './completion/scripts.js';
import { EXIT_CODES_HELP } from './exit-codes.js';

/** `querygate completion`: prints a script for a shell. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Prints a script with which a shell completes commands, options, endpoints and parameters.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell));
    });
}

const HELP = `
The script completes the command \`querygate\`, which must be in the PATH. Endpoints are those of the project in --project,
PROJECT_DIR or the current folder; after \`call ENDPOINT --param\` come the names of its parameters, and their choices.

Examples:
  source <(querygate completion bash)                                         (in ~/.bashrc)
  source <(querygate completion zsh)                                          (in ~/.zshrc, after compinit)
  querygate completion fish > ~/.config/fish/completions/querygate.fish
${EXIT_CODES_HELP}`;
