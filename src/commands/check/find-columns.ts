import { mistakeAtEnd } from '../../gateway/analysis/ends-of-unions.js';
import { bindValues, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { DESCRIBE, describe, repeatedColumn } from '../../gateway/clickhouse/describe-columns.js';
import type { Values } from '../../endpoint/values.js';
import { withSettings, type Endpoint } from '../../endpoint/endpoint.js';
import { endpointOf } from '../../endpoint/sql-file/read-sql-endpoint.js';
import { columnsText } from './columns-text.js';
import { sampleValues } from '../../gateway/query/sample-values.js';
import type { ResultColumn } from '../../gateway/formats/format.js';
import { type FileProblem, sqlProblems } from '../../endpoint/file-problems.js';
import { queryProblemInFile } from '../../gateway/analysis/query-problem-in-file.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { writeColumns } from './write-columns.js';
import { withoutZones } from '../../endpoint/type-name.js';
import { withOtherZones, zonesOf } from '../../gateway/analysis/zones.js';
import { problem } from '../../endpoint/problems.js';

/** What was done about a header without `columns`. */
export interface FoundColumns {
  /** The endpoint with the columns that ClickHouse describes; absent where they cannot be found. */
  readonly endpoint?: Endpoint;
  readonly problems: readonly FileProblem[];
  /** What was written into the file; absent where it was not. */
  readonly written?: string;
}

/**
 * Finds the columns that a header lacks: those of the example's query with all optional columns.
 *
 * @param writes whether to write them into the file; otherwise that they are missing is a problem.
 */
export async function findColumns(
  loaded: Endpoint,
  file: SqlFile,
  tools: AnalysisTools & { readonly writes: boolean },
): Promise<FoundColumns> {
  const optional = [...loaded.optionalColumns.values()].flat();
  const values = sampleValues(loaded, { names: [...Object.keys(loaded.example), ...optional] }, tools.now());
  const query = bindValues(loaded, values, tools);
  let columns: readonly ResultColumn[];
  try {
    columns = await withoutDecidedZones(await describe(query, tools), loaded, values, tools);
  } catch (error) {
    const atEnd = await mistakeAtEnd(error, loaded, tools);
    const sent = { prefix: DESCRIBE, text: query.text, values, mistakeAtEnd: atEnd };
    const found = queryProblemInFile(error, sent, file);
    return { problems: [{ ...found, ...problem('COLUMNS_NOT_FOUND', found.problem) }] };
  }
  return accept(columns, loaded, file, tools.writes);
}

/** The columns without the zones that a parameter decides: another call returns them in another zone. */
async function withoutDecidedZones(
  columns: readonly ResultColumn[],
  endpoint: Endpoint,
  values: Values,
  tools: AnalysisTools,
): Promise<readonly ResultColumn[]> {
  const others = withOtherZones(endpoint, values);
  if (!others) return columns;
  const elsewhere = await describe(bindValues(endpoint, others, tools), tools);
  return columns.map((column, index) =>
    column.type === elsewhere[index]?.type
      ? column
      : { ...column, type: withoutZones(column.type, zonesOf(values)) },
  );
}

async function accept(
  columns: readonly ResultColumn[],
  loaded: Endpoint,
  file: SqlFile,
  writes: boolean,
): Promise<FoundColumns> {
  const repeated = repeatedColumn(columns);
  if (repeated !== undefined) return { problems: [problem('COLUMN_REPEATED', repeated)] };
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
  let endpoint: Endpoint;
  try {
    const read = endpointOf(file, types);
    endpoint = withSettings(read, loaded.settings);
  } catch (error) {
    const ofFile = sqlProblems(file, error);
    if (!ofFile) throw error;
    return { problems: ofFile };
  }
  const text = columnsText(columns);
  if (!writes) return { endpoint, problems: [problem('COLUMNS_MISSING', file.shownPath, text)] };
  try {
    await writeColumns(file, columns);
    return { endpoint, problems: [], written: text };
  } catch (error) {
    return { endpoint, problems: [problem('FILE_NOT_WRITTEN', (error as Error).message)] };
  }
}
