import { readFile } from 'node:fs/promises';

import { problemsOf } from '../../gateway/analysis/analyse-endpoint.js';
import type { CheckTools } from '../check/check-endpoint.js';
import { findColumns } from '../check/find-columns.js';
import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import { lacksColumns, parseSqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { endpointOf } from '../../endpoint/sql-file/read-sql-endpoint.js';
import { concurrently } from '../../endpoint/concurrently.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import type { LoadedFiles } from '../../endpoint/endpoint-loader.js';
import { problem } from '../../endpoint/problems.js';
import type { FindingsDependencies } from './findings.js';

export interface AnalysisDependencies extends Pick<FindingsDependencies, 'analyses' | 'withTools'> {
  /** Gives the read-only user the rights on what the endpoints read. */
  readonly prepareFor: (endpoints: readonly Endpoint[]) => Promise<unknown>;
  /** Called when columns were written. @param file as messages name it */
  readonly onWritten: (file: string, columns: string) => void;
}

interface AnalysedFile {
  readonly endpoint: Endpoint;
  readonly problems: readonly FileProblem[];
}

/** Analyses at a time: each waits for ClickHouse. */
const CONCURRENT = 4;

/**
 * Asks ClickHouse about each new definition before it is served: whether it can analyse the query, and whether the columns are
 * those that the file declares. It finds the columns that a header lacks, and writes them into the file.
 */
export class AnalysedFiles {
  constructor(private readonly dependencies: AnalysisDependencies) {}

  /**
   * @param earlier the endpoints of the files in the last load. An earlier endpoint without a problem replaces a new one with a
   * problem. Without an earlier one, the new one is served, and its calls report the problem.
   */
  async complete(loaded: LoadedFiles, earlier: ReadonlyMap<string, Endpoint>): Promise<LoadedFiles> {
    const open = [...loaded.endpoints].filter(([, endpoint]) => !this.isKnown(endpoint));
    if (open.length === 0) return loaded;
    const endpoints = new Map(loaded.endpoints);
    const problems: FileProblem[] = [...loaded.problems];
    const analyse = async ([file, endpoint]: (typeof open)[number], tools: CheckTools): Promise<void> => {
      const { endpoint: analysed, problems: found } = await this.analyse(endpoint, tools);
      endpoints.set(file, analysed);
      if (found.length === 0) return;
      problems.push(...found.map((problem) => ({ file, ...problem })));
      if (await this.isValid(earlier.get(file), analysed, tools)) endpoints.delete(file);
    };
    // Without ClickHouse no query can be analysed. Calls then report that ClickHouse does not respond.
    await this.dependencies
      .withTools(async (tools) => {
        await this.dependencies.prepareFor(open.map(([, endpoint]) => endpoint));
        await concurrently(open, CONCURRENT, (each) => analyse(each, tools));
      })
      .catch((error: unknown) => {
        problems.push(...this.withoutColumns(endpoints, error as Error));
      });
    return { endpoints, problems };
  }

  /** Whether ClickHouse accepts an earlier definition, as the tables are now. */
  private async isValid(earlier: Endpoint | undefined, now: Endpoint, tools: CheckTools): Promise<boolean> {
    if (!earlier || earlier.digest === now.digest) return false;
    const { analyses } = this.dependencies;
    if (!analyses.of(earlier)) await this.problemsOf(earlier, tools);
    return !analyses.hasProblem(earlier);
  }

  private isKnown(endpoint: Endpoint): boolean {
    const { analyses } = this.dependencies;
    const isGood = analyses.of(endpoint) !== undefined && !analyses.hasProblem(endpoint);
    return isGood && !lacksColumns(endpoint.file);
  }

  private async analyse(endpoint: Endpoint, tools: CheckTools): Promise<AnalysedFile> {
    const { file } = endpoint;
    if (!file || !lacksColumns(file)) return { endpoint, problems: await this.problemsOf(endpoint, tools) };
    const found = await findColumns(endpoint, file, { ...tools, writes: true });
    if (found.written === undefined) return { endpoint, ...found };
    this.dependencies.onWritten(file.shownPath, found.written);
    const read = endpointOf(parseSqlFile(await readFile(file.path, 'utf8'), file));
    return { endpoint: read, problems: await this.problemsOf(read, tools) };
  }

  private async problemsOf(endpoint: Endpoint, tools: CheckTools): Promise<readonly FileProblem[]> {
    const { analyses } = this.dependencies;
    // A ClickHouse that is busy with one query can analyse the others.
    const analysis = await analyses.analyse(endpoint, tools).catch(whereRejected(undefined));
    return analysis ? problemsOf(analysis) : [];
  }

  /** The files that cannot be served without ClickHouse, because their columns are unknown. */
  private withoutColumns(endpoints: Map<string, Endpoint>, { message }: Error): readonly FileProblem[] {
    const lacking = [...endpoints].filter(([, { file }]) => lacksColumns(file));
    for (const [file] of lacking) endpoints.delete(file);
    return lacking.map(([file]) => ({
      file,
      ...problem('COLUMNS_NOT_FOUND', message),
    }));
  }
}
