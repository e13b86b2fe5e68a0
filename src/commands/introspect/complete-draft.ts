import { ClickHouseError } from '@clickhouse/client';

import { readSqlEndpoint } from '../../endpoint/sql-file/read-sql-endpoint.js';
import { SqlFileError } from '../../endpoint/sql-file/sql-file-error.js';
import { bindValues, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { withColumns } from '../check/columns-text.js';
import { sampleValues } from '../../gateway/analysis/combinations.js';
import type { ResultColumn } from '../../gateway/formats/format.js';
import { describe, repeatedColumn } from '../../gateway/clickhouse/describe-columns.js';
import { missingForms } from '../../gateway/formats/require-forms.js';
import { draftText, type Draft } from './draft.js';
import { NotCarriedOver } from './query-draft.js';

/**
 * The text of an endpoint file, with the columns that ClickHouse describes. The file loads, and ClickHouse accepts its query.
 *
 * @throws NotCarriedOver where either is not so
 */
export async function completeDraft(draft: Draft, tools: AnalysisTools): Promise<string> {
  const text = draftText(draft);
  const columns = await describedColumns(text, tools);
  const complete = withColumns(text, columns);
  if (complete === undefined) throw new NotCarriedOver('its columns cannot be written into a header');
  load(complete);
  return complete;
}

async function describedColumns(text: string, tools: AnalysisTools): Promise<readonly ResultColumn[]> {
  const endpoint = load(text, { any: 'String' });
  const values = sampleValues(endpoint, { names: [...endpoint.parameters.keys()] }, tools.now());
  const columns = await describe(bindValues(endpoint, values, tools), tools).catch((error: unknown) => {
    if (!(error instanceof ClickHouseError)) throw error;
    throw new NotCarriedOver(`ClickHouse rejects its query: ${error.message.trim()}`);
  });
  const repeated = repeatedColumn(columns);
  if (repeated !== undefined) throw new NotCarriedOver(`it returns two columns ${repeated}`);
  const column = columns.find(({ type }) => missingForms(type)?.isEvery);
  if (column)
    throw new NotCarriedOver(`its column ${column.name}: ${missingForms(column.type)?.reason ?? ''}`);
  return columns;
}

function load(
  text: string,
  columnsWhereMissing?: Readonly<Record<string, string>>,
): ReturnType<typeof readSqlEndpoint> {
  try {
    return readSqlEndpoint(text, columnsWhereMissing ? { columnsWhereMissing } : {});
  } catch (error) {
    if (!(error instanceof SqlFileError)) throw error;
    throw new NotCarriedOver(error.problems.map(({ problem }) => problem).join('; '));
  }
}
