import { CommandError, EXIT } from '../exit-codes.js';
import { paint, targetOf } from '../style.js';
import { unreachable } from '../unreachable.js';
import { resultTable, type ResultTable } from './result-table.js';

/**
 * Writes a response of the format `json-table` to standard output as a table, which fits a terminal. What it does not show is
 * said on standard error.
 *
 * @throws CommandError where the response is incomplete, or is not what the gateway sends.
 */
export async function writeTable(response: Response): Promise<void> {
  const body = await response.text().catch((cause: unknown) => {
    throw unreachable('The response of the gateway is incomplete', cause);
  });
  const { stdout, stderr } = process;
  const { text, notes } = tableOf(body, stdout.isTTY ? stdout.columns : undefined);
  stdout.write(text);
  for (const note of notes) stderr.write(`${paint('dim', note, targetOf(stderr))}\n`);
}

function tableOf(body: string, columns: number | undefined): ResultTable {
  try {
    return resultTable(body, columns, targetOf(process.stdout));
  } catch (cause) {
    throw new CommandError(
      'The gateway returned a table that is not valid JSON. Check --url.',
      EXIT.gateway,
      {
        cause,
      },
    );
  }
}
