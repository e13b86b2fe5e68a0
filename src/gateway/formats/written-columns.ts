import type { BoundQuery } from '../../endpoint/bind.js';
import type { Column } from '../../endpoint/definition.js';
import type { ClickHouseFormat, FormattedColumns, ResultColumn } from './format.js';
import { FORMATS } from './formats.js';
import { projectColumns } from './project-columns.js';
import type { Representation } from './representation.js';
import { quotingOf } from './quoting.js';
import { requireForms } from './require-forms.js';

/** How a result is written: everything that depends on its columns and its representation only. */
export interface WrittenColumns {
  readonly representation: Representation;
  readonly columns: FormattedColumns;
  readonly clickHouseFormat: ClickHouseFormat;
  /** Selects the columns, and converts values that the format cannot write. */
  readonly project: (query: BoundQuery) => BoundQuery;
}

const ofDefinitions = new WeakMap<ReadonlyMap<string, Column>, Map<string, WrittenColumns>>();

/** The writing of the columns of a definition, computed once for each. @throws Failure NOT_ACCEPTABLE */
export function writtenColumns(
  declared: ReadonlyMap<string, Column>,
  representation: Representation,
): WrittenColumns {
  const known = ofDefinitions.get(declared) ?? new Map<string, WrittenColumns>();
  const earlier = known.get(representation.name);
  if (earlier) return earlier;
  const described = [...declared].map(([name, column]) => ({ name, ...column }));
  const written = compute({ declared, described }, representation);
  ofDefinitions.set(declared, known.set(representation.name, written));
  return written;
}

/** The writing of a caller's own SQL. @param described its columns, as ClickHouse describes them. @throws Failure NOT_ACCEPTABLE */
export function writtenOwnColumns(
  described: readonly ResultColumn[],
  representation: Representation,
): WrittenColumns {
  return compute({ declared: 'unknown', described }, representation);
}

function compute({ declared, described }: FormattedColumns, representation: Representation): WrittenColumns {
  const quoting = representation.numbers === 'text' ? quotingOf(described) : undefined;
  const columns = { declared, described, quoting };
  requireForms(described, representation.format);
  const format = FORMATS[representation.format];
  const { times } = representation;
  return {
    ...{ representation, columns },
    clickHouseFormat: format.clickHouseFormat(columns),
    project:
      'project' in format
        ? format.project(columns)
        : projectColumns(described, { values: format.values, times, declared, quoting }),
  };
}
