import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { withTemporaryFolder } from './temporary-folder.js';

const execute = promisify(execFile);

/** Replaces pandas where it is not installed, with just the functions that the snippet uses. */
const PANDAS = `
class DataFrame:
    def __init__(self, rows):
        self.columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else [])}
    def __getitem__(self, name):
        return self.columns[name]
    def __setitem__(self, name, values):
        self.columns[name] = values
    def __repr__(self):
        return repr(self.columns)

def to_datetime(values, utc):
    return values
`;

/** Runs a snippet of the console as a user who copied it would, and returns its output. */
export async function runSnippet(tool: string, text: string): Promise<string> {
  let printed = '';
  await withTemporaryFolder(async (folder) => {
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file('snippet.mjs'), text);
    await writeFile(file('snippet.py'), text);
    await writeFile(file('pandas.py'), PANDAS);
    const commands: Readonly<Record<string, readonly [string, readonly string[]]>> = {
      curl: ['sh', ['-c', text]],
      javascript: [process.execPath, [file('snippet.mjs')]],
      pandas: ['python3', [file('snippet.py')]],
    };
    const [command, parameters] = commands[tool] ?? ['false', []];
    printed = (await execute(command, parameters)).stdout;
  });
  return printed;
}
