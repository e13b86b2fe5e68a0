import { Command } from 'commander';

import { addKey } from '../keys/add-key.js';
import { runCommand } from './run-command.js';

const program = new Command('keys').description('Manages the API keys in API_KEYS_FILE.');

program
  .command('add')
  .description('Makes a key, prints it once, and stores its SHA-256.')
  .argument('<name>', 'who the key is for: letters, digits, _ . @ -')
  .option('--file <path>', 'the keys’ file, JSON or YAML by its ending', process.env['API_KEYS_FILE'])
  .action((name: string, { file }: { readonly file?: string }) =>
    runCommand(async () => {
      if (file === undefined || file === '') {
        throw new Error('Set API_KEYS_FILE, or give --file: where are the keys kept?');
      }
      const key = await addKey(file, name, new Date());
      process.stderr.write(`Added ${name} to ${file}. This is the key; it is shown only now:\n`);
      process.stdout.write(`${key}\n`);
    }),
  );

await program.parseAsync();
