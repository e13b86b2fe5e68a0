import { quoteText } from '../../endpoint/quote-sql.js';
import { parseTypeName } from '../../endpoint/type-name.js';
import { Failure } from '../errors.js';
import { MARK, type MarkedFormat } from './format.js';
import { projectColumns } from './project-columns.js';

/** What a column of ClickHouse's format for Prometheus must be. */
interface MetricColumn {
  readonly type: RegExp;
  readonly words: string;
  readonly isRequired?: true;
  readonly mayBeNull?: true;
}

const NUMBER = { type: /^(?:U?Int\d+|B?Float\d+|Decimal\(.*\))$/, words: 'a number' };
const TEXT = { type: /^String$/, words: 'String' };

const COLUMNS: Readonly<Record<string, MetricColumn>> = {
  name: { ...TEXT, isRequired: true },
  value: { ...NUMBER, isRequired: true },
  help: { ...TEXT, mayBeNull: true },
  type: { ...TEXT, mayBeNull: true },
  labels: { type: /^Map\(String, String\)$/, words: 'Map(String, String)' },
  timestamp: { type: /^U?Int\d+$/, words: 'an integer', mayBeNull: true },
};

/** The syntax that Prometheus requires of each text that ClickHouse writes unchanged. The mark of an invalid text ends with the letter. */
const GRAMMAR = {
  n: { what: 'name of a metric', pattern: '[a-zA-Z_:][a-zA-Z0-9_:]*' },
  l: { what: 'name of a label', pattern: '[a-zA-Z_][a-zA-Z0-9_]*' },
  t: { what: 'type of a metric', pattern: '(counter|gauge|histogram|summary|untyped)?' },
} as const;

const MARK_VALUE = `{${MARK}:String}`;
/** Maximum characters of a name or type in an error. */
const SHOWN_CHARACTERS = 200;

/** The text format that Prometheus scrapes, as ClickHouse writes it. */
export const prometheus: MarkedFormat = {
  mediaType: 'text/plain',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  extension: 'prom',
  isText: true,
  isCompressible: true,
  hasFormulas: false,
  values: 'typed',
  clickHouseFormat: () => ({ name: 'Prometheus', settings: {} }),
  problemOf: (columns) => {
    for (const [name, column] of Object.entries(COLUMNS)) {
      const type = columns.find((each) => each.name === name)?.type;
      if (type === undefined && column.isRequired)
        return `prometheus needs a column ${name}, ${column.words}, which the result does not have.`;
      if (type !== undefined && !isOf(withoutDictionaries(type), column))
        return `prometheus needs column ${name} to be ${column.words}, not ${type.slice(0, SHOWN_CHARACTERS)}.`;
    }
    return undefined;
  },
  project: ({ declared, described }) => {
    const columns = described.filter(({ name }) => Object.hasOwn(COLUMNS, name));
    const select = projectColumns(columns, { values: 'json', times: 'iso', declared });
    const list = (sqlOf: (name: string, type: string) => string): string =>
      columns.map(({ name, type }) => `${sqlOf(name, type)} AS ${name}`).join(', ');
    const hasType = columns.some(({ name }) => name === 'type');
    const shown = list((name) => shownColumn(name, hasType));
    const rows = list((name, type) =>
      type.includes(DICTIONARY)
        ? `CAST(result_rows.${name}, ${quoteText(withoutDictionaries(type))})`
        : `result_rows.${name}`,
    );
    const last = list((_name, type) => `defaultValueOfTypeName(${quoteText(withoutDictionaries(type))})`);
    return (query) => ({
      ...query,
      text: `SELECT ${shown} FROM (
SELECT ${rows}, 0 AS _end, rowNumberInAllBlocks() AS _row FROM (\n${select(query).text}\n) AS result_rows
UNION ALL SELECT ${last}, 1, 0
) AS metrics ORDER BY metrics._end, metrics._row`,
    });
  },
  unmark: (body, mark) => {
    const end = Buffer.from(`${mark} 0\n\n`);
    if (!body.subarray(-end.length).equals(end)) return undefined;
    const rows = body.subarray(0, -end.length);
    const at = rows.indexOf(mark);
    if (at !== -1) throw outsideGrammar(rows.toString('latin1', at + mark.length));
    return rows;
  },
  describeBody: () => ({ type: 'string', description: 'Metrics in Prometheus’ text format.' }),
};

const DICTIONARY = 'LowCardinality(';

/** A type without LowCardinality, which ClickHouse's format rejects. The values stay the same. */
function withoutDictionaries(type: string): string {
  if (!type.includes(DICTIONARY)) return type;
  const { name, args } = parseTypeName(type);
  const plain = args.map(withoutDictionaries).join(', ');
  return name === 'LowCardinality' ? plain : `${name}(${plain})`;
}

function isOf(type: string, column: MetricColumn): boolean {
  const { name, args } = parseTypeName(type);
  const isAround = name === 'SimpleAggregateFunction' || (name === 'Nullable' && column.mayBeNull === true);
  return isAround ? isOf(args.at(-1) ?? '', column) : column.type.test(type);
}

/** SQL of a column, in which a text outside the grammar is replaced by a mark and its bytes as hexadecimal digits. */
function shownColumn(name: string, hasType: boolean): string {
  const unless = (kind: keyof typeof GRAMMAR, text: string): string =>
    `NOT match(${text}, '^${GRAMMAR[kind].pattern}$'), concat(${MARK_VALUE}, '${kind}', hex(${text}))`;
  if (name === 'name') {
    const ofType = hasType ? [unless('t', `ifNull(metrics.type, '')`)] : [];
    return `multiIf(${[`metrics._end = 1, ${MARK_VALUE}`, unless('n', 'metrics.name'), ...ofType].join(', ')}, metrics.name)`;
  }
  return name === 'labels'
    ? `mapApply((k, v) -> (if(${unless('l', 'k')}, k), v), metrics.labels)`
    : `metrics.${name}`;
}

function outsideGrammar(marked: string): Failure {
  const [, kind = '', hex = ''] = /^(.)([0-9A-F]*)/.exec(marked) ?? [];
  const { what, pattern } = GRAMMAR[kind as keyof typeof GRAMMAR];
  const text = JSON.stringify(Buffer.from(hex, 'hex').toString().slice(0, SHOWN_CHARACTERS));
  return new Failure(
    'NOT_ACCEPTABLE',
    `prometheus needs each ${what} to match ${pattern}, which ${text} does not. Choose another format, or change the query.`,
  );
}
