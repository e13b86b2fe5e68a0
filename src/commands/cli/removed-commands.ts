import { Command } from 'commander';

import { usageError } from './exit-codes.js';

/** What to use in place of commands, and of options of commands, that earlier versions had. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  calls: 'use querygate replay --save, or --purge.',
  mcp: 'connect the client to POST /mcp of the gateway, with “npx mcp-remote URL/mcp” where it speaks stdio alone.',
  usage: 'use querygate call gateway.usage --param by=key --param since=now-7d.',
  'endpoints --callers': 'use querygate call gateway.callers --param start_time=now-30d.',
};

/** A command that prints what replaces a removed one; undefined where the arguments name no removed command. */
export function removedCommand(args: readonly string[]): Command | undefined {
  const found = Object.entries(REPLACEMENTS).find(([words]) => {
    const [command, option = command] = words.split(' ');
    return args[0] === command && args.includes(String(option));
  });
  if (!found) return undefined;
  const [words, replacement] = found;
  return new Command('querygate')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw usageError(`querygate ${words} was removed: ${replacement}`);
    });
}
