import { randomUUID } from 'node:crypto';

import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { parseSqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { endpointOf } from '../../endpoint/sql-file/read-sql-endpoint.js';
import { SqlFileError } from '../../endpoint/sql-file/sql-file-error.js';
import { bindValues, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { sampleValues } from '../../gateway/query/sample-values.js';
import { describe, repeatedColumn } from '../../gateway/clickhouse/describe-columns.js';
import type { ResultColumn } from '../../gateway/formats/format.js';
import { missingForms } from '../../gateway/formats/require-forms.js';
import { withColumns } from '../check/columns-text.js';
import { headerText, newHeader } from '../header-yaml.js';
import type { ParameterForm } from './parameter-of-type.js';

/** A parameter of a draft. */
export interface DraftParameter extends Pick<ParameterForm, 'kind' | 'options'> {
  readonly description: string;
  /** A required parameter needs an example. */
  readonly required?: boolean;
}

/** An endpoint file in SQL before its columns are known. */
export interface Draft {
  readonly name: string;
  readonly summary: string;
  readonly parameters: ReadonlyMap<string, DraftParameter>;
  readonly example: Readonly<Record<string, string>>;
  readonly query: string;
}

/** Why something cannot be an endpoint; the message completes "NAME: …". */
export class NotCarriedOver extends Error {
  override readonly name = 'NotCarriedOver';
}

/**
 * The text of an endpoint file, with the columns that ClickHouse describes. The file loads, and ClickHouse accepts its query.
 *
 * @throws NotCarriedOver where either is not so
 */
export async function endpointText(draft: Draft, tools: AnalysisTools): Promise<string> {
  const text = textOf(draft);
  const complete = withColumns(text, await describedColumns(text, tools));
  if (complete === undefined) throw new NotCarriedOver('its columns cannot be written into a header');
  load(complete);
  return complete;
}

/** The text of a draft, with an id of its own and without columns. */
function textOf({ name, summary, parameters, example, query }: Draft): string {
  const header = newHeader();
  const inBraces = (values: object): unknown => header.createNode(values, { flow: true });
  for (const [key, value] of Object.entries({ name, id: randomUUID(), summary })) header.set(key, value);
  for (const [parameter, { kind, description, required, options }] of parameters) {
    const form = { kind, ...(required && { required }), ...options, description };
    header.setIn(['parameters', parameter], inBraces(form));
  }
  header.set('maxRows', 1000);
  header.set('caching', Object.assign(header.createNode(60), { comment: ' seconds' }));
  if (Object.keys(example).length > 0) {
    const commentBefore = ' Choose an example that returns rows.';
    header.set(Object.assign(header.createNode('example'), { commentBefore }), inBraces(example));
  }
  return `/*\n${headerText(header)}\n*/\n${query}\n`;
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
  for (const { name, type } of columns) {
    const missing = missingForms(type);
    if (missing?.isEvery) throw new NotCarriedOver(`its column ${name}: ${missing.reason}`);
  }
  return columns;
}

function load(text: string, columnsWhereMissing?: Readonly<Record<string, string>>): Endpoint {
  try {
    return endpointOf(parseSqlFile(text), columnsWhereMissing);
  } catch (error) {
    if (!(error instanceof SqlFileError)) throw error;
    throw new NotCarriedOver(error.problems.map(({ problem }) => problem).join('; '));
  }
}
