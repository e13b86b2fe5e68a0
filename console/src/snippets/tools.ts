import {
  callPath,
  entries,
  exactNumbers,
  KEY_PLACEHOLDER,
  kindOf,
  limitNote,
  plainNumbers,
  roundedColumns,
  sentValues,
  SHEET_DIGITS,
  type SnippetRequest,
} from './request.js';
import type { Column, Values } from '../model/endpoint.js';

/** A text literal of Power Query. */
function m(text: string): string {
  const escaped = text
    .replaceAll('#(', '#(#)(')
    .replaceAll('"', '""')
    .replaceAll('\r', '#(cr)')
    .replaceAll('\n', '#(lf)')
    .replaceAll('\t', '#(tab)');
  return `"${escaped}"`;
}

const M_TYPES = { time: 'type datetimezone', number: 'type number', text: 'type text' } as const;

/** A query for Excel and Power BI. */
export function powerQuery(request: SnippetRequest): string {
  const { endpoint, base } = request;
  const { values, headers } = exactNumbers(request);
  const names = endpoint.columns.map(({ name }) => m(name)).join(', ');
  const rounded = roundedColumns(request);
  const typeOf = (column: Column): string =>
    rounded.includes(column.name) ? `TypeOf(${m(column.name)})` : M_TYPES[kindOf(column)];
  const typed = endpoint.columns.filter((column) => kindOf(column) !== 'text');
  const types = typed.map((column) => `{${m(column.name)}, ${typeOf(column)}}`).join(', ');
  const record = (fields: Values): string =>
    `[${entries(fields)
      .map(([name, value]) => `#${m(name)} = ${m(value)}`)
      .join(', ')}]`;
  return [
    '// Data > Get Data > From Other Sources > Blank Query > Advanced Editor; access: anonymous',
    ...limitNote('//', request),
    'let',
    `  Response = Json.Document(Web.Contents(${m(base)}, [`,
    `    RelativePath = ${m(callPath(endpoint.name))},`,
    `    Query = ${record(sentValues(request, values))},`,
    `    Headers = ${record({ 'X-API-KEY': KEY_PLACEHOLDER, ...headers })}`,
    '  ])),',
    `  Rows = Table.FromRecords(Response[result], {${names}}, MissingField.UseNull),`,
    ...(rounded.length === 0 ? [] : TYPE_OF),
    `  Typed = Table.TransformColumnTypes(Rows, {${types}}, "en-US")`,
    'in',
    '  Typed',
  ].join('\n');
}

const TYPE_OF = [
  `  // A sheet keeps ${SHEET_DIGITS} digits of a number: a column with a longer one is text.`,
  `  IsLong = (value) => value <> null and Text.Length(Text.TrimStart(Text.Select(value, {"0".."9"}), "0")) > ${SHEET_DIGITS},`,
  '  TypeOf = (column) => if List.AnyTrue(List.Transform(Table.Column(Rows, column), IsLong)) then type text else type number,',
];

const GRAFANA_TYPES = { time: 'timestamp', number: 'number', text: 'string' } as const;

/** The query of a panel for Grafana's Infinity data source, in its JSON form. Its readers must not see the key. */
export function grafana(request: SnippetRequest): string {
  const { endpoint, base } = request;
  const query = {
    refId: 'A',
    type: 'json',
    parser: 'backend',
    source: 'url',
    format: 'table',
    url: base + callPath(endpoint.name),
    url_options: {
      method: 'GET',
      params: entries(sentValues(request, plainNumbers(request))).map(([key, value]) => ({ key, value })),
    },
    root_selector: 'result',
    columns: endpoint.columns.map((column) => ({
      selector: column.name,
      text: column.name,
      type: GRAFANA_TYPES[kindOf(column)],
    })),
  };
  return [
    `// Settings of the data source: under Headers X-API-KEY = ${KEY_PLACEHOLDER}, under Allowed hosts ${new URL(base).origin}`,
    ...limitNote('//', request),
    '// Query of a panel, in the panel’s JSON under "targets":',
    JSON.stringify(query, undefined, 2),
  ].join('\n');
}

const nameInSql = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `\`${name}\``);

const textInSql = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The connection of tools with a ClickHouse driver, and the endpoint as a table. */
export function sqlTable({ endpoint, values, base }: SnippetRequest): string {
  const { hostname } = new URL(base);
  const { name, sqlPort = 0 } = endpoint;
  const at = `${hostname}:${sqlPort}/querygate`;
  const args = entries(values).map(([argument, value]) => `${nameInSql(argument)} = ${textInSql(value)}`);
  return [
    `-- Host ${hostname}, port ${sqlPort}, over HTTP; where a proxy adds TLS: those of the proxy, with TLS.`,
    `-- User: any name. Password: ${KEY_PLACEHOLDER}. Database: querygate.`,
    `-- SQLAlchemy (Superset): clickhousedb://any:${KEY_PLACEHOLDER}@${at}`,
    `-- JDBC (DBeaver, DataGrip): jdbc:clickhouse:http://${at}`,
    `SELECT * FROM ${nameInSql(name.replaceAll(/[.@-]/g, '_'))}${args.length === 0 ? '' : `(${args.join(', ')})`}`,
  ].join('\n');
}
