import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { withTemporaryFolder } from './temporary-folder.js';

const execute = promisify(execFile);

/** Replaces pandas where it is not installed: the bytes of the file, which have the names of the columns. */
const PANDAS = `
def read_parquet(file):
    content = file.read()
    assert content[:4] == content[-4:] == b"PAR1", content
    return content
`;

/** Runs a snippet of the console as a user who copied it would, and returns its output. */
export async function runSnippet(tool: string, text: string): Promise<string> {
  let printed = '';
  await withTemporaryFolder(async (folder) => {
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file('snippet.mjs'), text);
    await writeFile(file('snippet.py'), text);
    await writeFile(file('pandas.py'), PANDAS);
    const [, password = '', at = ''] = /clickhousedb:\/\/any:(.+)@(.+)\/querygate$/m.exec(text) ?? [];
    const table = `http://${at}/?default_format=TabSeparatedWithNames`;
    const commands: Readonly<Record<string, readonly [string, readonly string[]]>> = {
      curl: ['sh', ['-c', text]],
      javascript: [process.execPath, [file('snippet.mjs')]],
      pandas: ['python3', [file('snippet.py')]],
      sql: ['curl', ['--silent', '--user', `any:${password}`, '--data-binary', text, table]],
    };
    const [command, parameters] = commands[tool] ?? ['false', []];
    printed = (await execute(command, parameters)).stdout;
  });
  return printed;
}
