import path from 'node:path';
import { styleText } from 'node:util';

import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import type { RanTest } from '../endpoint-tests/run-tests.js';
import { testReport } from '../endpoint-tests/test-report.js';
import { newEndpointFile } from '../cli/project/templates.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import type { Reload } from '../../gateway/server/reloader.js';

/** Writes to the terminal what a development server does. */
export class Terminal {
  /** Incomplete files that the terminal has reported. */
  private awaited: ReadonlySet<string> = new Set();

  constructor(private readonly stream = process.stdout) {}

  readonly print = (text: string): void => {
    this.stream.write(`${text}\n`);
  };

  readonly reloaded = ({ problems, kept, added, changed, removed }: Reload): void => {
    const parts = [
      ['added', added],
      ['changed', changed],
      ['removed', removed],
    ] as const;
    const news = parts.flatMap(([what, names]) =>
      names.length === 0 ? [] : [`${what} ${names.join(', ')}`],
    );
    if (news.length > 0) this.print(`${this.paint('green', 'reloaded')}  ${news.join('; ')}`);
    for (const problem of problems) this.printProblem(problem);
    const unfinished = problems.flatMap(({ unfinished, file = '' }) =>
      unfinished ? [`${unfinished} ${file}`] : [],
    );
    this.awaited = new Set(unfinished);
    if (kept.length > 0)
      this.print(`Until this is corrected, the earlier version is served: ${kept.join(', ')}`);
    else if (news.length === 0 && problems.length === 0)
      this.print(`${this.paint('green', 'reloaded')}  all files are valid`);
  };

  private printProblem(problem: FileProblem): void {
    const { file = '', unfinished } = problem;
    if (unfinished === undefined) this.print(`${this.paint('red', 'error:')} ${textOfProblem(problem)}`);
    else if (this.awaited.has(`${unfinished} ${file}`)) return;
    else if (unfinished === 'half')
      this.print(`${this.paint('dim', 'waiting')}   for the rest of ${file}: its header has no end yet`);
    else void this.offerTemplate(file);
  }

  /** Prints a template for an empty file. */
  private async offerTemplate(file: string): Promise<void> {
    const { text } = await newEndpointFile(path.parse(file).name, 'sql');
    this.print(
      `${this.paint('dim', 'waiting')}   for the text of ${file}, which is empty. It can begin with this:\n${text}`,
    );
  }

  readonly idWritten = (file: string, id: string): void => {
    this.print(`${this.paint('green', 'wrote')}     the id ${id} into the header of ${file}`);
  };

  readonly checked = ({ name, problems, warnings, example, tables }: CheckedEndpoint): void => {
    for (const problem of problems) {
      this.print(`${this.paint('red', 'error:')} ${name}: ${textOfProblem(problem)}`);
    }
    for (const warning of warnings) this.print(`${this.paint('yellow', 'warning:')} ${name}: ${warning}`);
    if (!example) return;
    const { rows, rowsRead, milliseconds } = example;
    const read = tables.map(({ table, granules }) => `${table}: ${granules.read} of ${granules.of} granules`);
    this.print(
      `${this.paint('dim', 'checked')}   ${name}: ${rows} rows in ${milliseconds} ms, ${rowsRead} rows read` +
        (read.length === 0 ? '' : ` (${read.join(', ')})`),
    );
  };

  readonly checkedAll = (found: readonly CheckedEndpoint[]): void => {
    const withFault = found.filter(({ problems }) => problems.length > 0).length;
    const withWarning = found.filter(({ warnings }) => warnings.length > 0).length;
    this.print(
      `${this.paint('dim', 'checked')}   all ${found.length} endpoints: ${withFault} with a fault, ${withWarning} with a warning`,
    );
  };

  readonly tested = (tests: readonly RanTest[]): void => {
    for (const ran of tests) this.stream.write(testReport(ran));
  };

  readonly columnsWritten = (file: string, columns: string): void => {
    this.print(`${this.paint('green', 'wrote')}     the columns into the header of ${file}:\n${columns}`);
  };

  private paint(style: 'green' | 'red' | 'yellow' | 'dim', text: string): string {
    return styleText(style, text, { stream: this.stream });
  }
}
