import { declareByKind } from '../../endpoint/parameters/kinds.js';
import type { ParameterKind } from '../../endpoint/parameters/parameter.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import { bareType } from '../../endpoint/type-name.js';
import { missingForms } from '../../gateway/formats/require-forms.js';
import type { CatalogColumn, CatalogTable, Period } from './catalog.js';
import { NotCarriedOver, type Draft, type DraftParameter } from './draft.js';
import { parameterName, sqlName } from './names.js';
import { parameterOfType } from './parameter-of-type.js';

/** A draft, and what it omits of its source. */
export interface TableDraft {
  readonly draft: Draft;
  readonly leftOut: readonly string[];
  /** The time column, and how many days before now the period starts by default. */
  readonly period?: Period;
}

/** A term of WHERE. */
interface Filter {
  readonly sql: string;
  readonly parameter: readonly [name: string, declaration: DraftParameter];
}

/**
 * An endpoint that returns the rows of a table, newest first. It has a time range if the table has a time column, and a filter for
 * each column of the sorting key and each column with few values.
 *
 * @throws NotCarriedOver where no column can be selected
 */
export function tableDraft(
  name: string,
  table: CatalogTable,
  columns: readonly CatalogColumn[],
  inDatabase: string,
): TableDraft {
  const [selected, leftOut] = selectable(columns);
  if (selected.length === 0) throw new NotCarriedOver('it has no column that can be selected');
  const time = timeColumn(selected, table);
  const range = time ? timeRange(time) : [];
  const taken = new Set(range.map(({ parameter }) => parameter[0]));
  const filters = selected
    .filter((column) => column !== time && isFilter(column))
    .map((column) => equals(column, taken));
  const all = [...range, ...filters.flatMap((filter) => filter ?? [])];
  const from =
    table.database === inDatabase ? sqlName(table.name) : `${sqlName(table.database)}.${sqlName(table.name)}`;
  const shown = `${table.database}.${table.name}`;
  const query = [
    `SELECT\n    ${selected.map((column) => sqlName(column.name)).join(',\n    ')}`,
    `FROM ${from}`,
    ...whereOf(all, range.length > 0),
    `ORDER BY ${orderOf(selected, time, table).join(', ')}`,
  ].join('\n');
  const summary = `Rows of ${shown}${time ? ', newest first' : ''}.`;
  const parameters = new Map(all.map(({ parameter }) => parameter));
  return {
    draft: { name, summary, parameters, example: {}, query },
    leftOut,
    ...(time && { period: { column: time.name, days: isDay(time) ? DAYS : 1 } }),
  };
}

function selectable(columns: readonly CatalogColumn[]): [CatalogColumn[], string[]] {
  const selected: CatalogColumn[] = [];
  const leftOut: string[] = [];
  for (const column of columns) {
    const { name, type, kind } = column;
    const missing = missingForms(type);
    const isComputed = kind === 'ALIAS' || kind === 'EPHEMERAL';
    const reason = isComputed ? `it is ${kind}` : missing?.reason;
    if (!isComputed && !missing?.isEvery) selected.push(column);
    if (reason !== undefined) leftOut.push(`column ${name}: ${reason}`);
  }
  return [selected, leftOut];
}

const isTime = ({ type }: CatalogColumn): boolean => /^Date(?:32|Time|Time64)?$/.test(bareType(type).name);

/** The first time column of the sorting key, else of the partition key. Of a table without keys, such as a view, any. */
function timeColumn(
  columns: readonly CatalogColumn[],
  { sortingKey }: CatalogTable,
): CatalogColumn | undefined {
  const times = columns.filter(isTime);
  const hasKeys = columns.some(({ inSortingKey, inPartitionKey }) => inSortingKey || inPartitionKey);
  if (!hasKeys) return times[0];
  return (
    inKeyOrder(times, sortingKey).find(({ inSortingKey }) => inSortingKey) ??
    times.find(({ inPartitionKey }) => inPartitionKey)
  );
}

/** Columns as a sorting key names them; those that it does not name come first. */
function inKeyOrder(columns: readonly CatalogColumn[], key: string): readonly CatalogColumn[] {
  const words: readonly string[] = key.match(/`(?:[^`\\]|\\.)*`|\w+/g) ?? [];
  const place = ({ name }: CatalogColumn): number =>
    words.findIndex((word) => word === name || word === quoteName(name));
  return [...columns].sort((a, b) => place(a) - place(b));
}

/** The default period of a column of days. */
const DAYS = 7;

const isDay = ({ type }: CatalogColumn): boolean => /^Date(?:32)?$/.test(bareType(type).name);

/** The period, by default since the last day, or the last week of a column of days. */
function timeRange(time: CatalogColumn): readonly Filter[] {
  const column = sqlName(time.name);
  const ofDays = isDay(time);
  const options = { relativeStep: ofDays ? '1h' : '1m' };
  const term = (operator: string, name: string, declared: Omit<DraftParameter, 'kind'>): Filter => ({
    sql: `${column} ${operator} ${ofDays ? `to${bareType(time.type).name}(@${name})` : `@${name}`}`,
    parameter: [name, { kind: 'timestamp', ...declared }],
  });
  return [
    term('>=', 'since', {
      options: { default: ofDays ? `now-${DAYS}d/d` : 'now-1d', ...options },
      description: 'Only rows at or after this time.',
    }),
    term('<', 'until', { options, description: `Only rows before this ${ofDays ? 'day' : 'time'}.` }),
  ];
}

const FILTERED = /^(?:string|integer|boolean|date|uuid|decimal|enum)$/;

/** Columns with few values are worth a filter although it reads the whole period. */
function isFilter({ type, inSortingKey }: CatalogColumn): boolean {
  const kind = parameterOfType(type)?.kind ?? '';
  return FILTERED.test(kind) && (inSortingKey || type.startsWith('LowCardinality(') || kind === 'enum');
}

function equals({ name, type }: CatalogColumn, taken: Set<string>): Filter | undefined {
  const form = parameterOfType(type);
  const parameter = parameterName(name, taken);
  if (!form || parameter === undefined) return undefined;
  const { kind, bind, options } = form;
  // Every value of a smaller integer type fits the default.
  const { type: ofKind } = declareByKind(kind as ParameterKind, { description: '', ...options }, []);
  const isDefault = ofKind === bind || /^(?:Int(?:8|16|32)|UInt(?:8|16|32))$/.test(bind);
  return {
    sql: `${sqlName(name)} = ${isDefault ? `@${parameter}` : `{${parameter}:${bind}}`}`,
    parameter: [parameter, { kind, options, description: `Only rows with this ${name}.` }],
  };
}

/** Every term but the start of the period is an optional part. */
function whereOf(filters: readonly Filter[], hasRange: boolean): readonly string[] {
  if (filters.length === 0) return [];
  const terms = filters.map(({ sql }) => sql);
  const [first = '', ...others] = hasRange ? terms : ['true', ...terms];
  return [`WHERE ${first}`, ...others.map((sql) => `  [[ AND ${sql} ]]`)];
}

/** Types that ClickHouse does not sort by, by their first word. */
const UNSORTABLE = /^(?:JSON|Object|Dynamic|Variant|AggregateFunction)\b/;

/** Enough columns that equal data gives equal results: the time and the sorting key; of a table without keys, all columns. */
function orderOf(
  columns: readonly CatalogColumn[],
  time: CatalogColumn | undefined,
  { sortingKey }: CatalogTable,
): readonly string[] {
  const keys = inKeyOrder(columns, sortingKey).filter(({ inSortingKey }) => inSortingKey);
  const others = (keys.length > 0 ? keys : columns.filter(({ type }) => !UNSORTABLE.test(type))).filter(
    (column) => column !== time,
  );
  const order = [...(time ? [`${sqlName(time.name)} DESC`] : []), ...others.map(({ name }) => sqlName(name))];
  return order.length > 0 ? order : ['1'];
}
