import { showTruncation } from './code.js';
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
  urlOf,
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

/** For Excel and Power BI. */
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

/** For Grafana's Infinity data source: the query of a panel, as in its JSON. Its readers must not see the key. */
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

/** For Metabase, which reads databases and uploaded files only. */
export function metabase(request: SnippetRequest): string {
  const file = `${request.endpoint.name}.csv`;
  return [
    '# Metabase can’t call an HTTP API: it reads databases, and CSV files that are uploaded to it.',
    '# Allow uploads in its admin settings, fetch the rows, and upload the file (or drop it on a collection).',
    ...csvInto(request, file),
    `curl --fail-with-body --request POST 'https://METABASE_HOST/api/upload/csv' \\`,
    `  --header 'X-API-KEY: METABASE_API_KEY' --form 'collection_id=root' --form 'file=@${file}'`,
  ].join('\n');
}

/**
 * For Superset, through the generic JSON adapter of shillelagh. The key is in the settings of the database: in the query
 * (`_s_headers`) everyone who may see a data set would see it.
 */
export function superset(request: SnippetRequest): string {
  const settings = {
    connect_args: {
      adapters: ['genericjsonapi'],
      adapter_kwargs: {
        genericjsonapi: { request_headers: { 'X-API-KEY': KEY_PLACEHOLDER }, cache_expiration: 0 },
      },
    },
  };
  return [
    '/* 1. Where Superset runs: pip install "shillelagh[genericjsonapi]"',
    '2. A database with the SQLAlchemy URI shillelagh+safe:// and, under Advanced > Security > Secure extra:',
    JSON.stringify(settings, undefined, 2),
    'Superset encrypts this, and no query shows the key. Whoever may write SQL for this database can still make Superset',
    'send the key to any server: use a key that may call only what they may see. */',
    '',
    '-- 3. In SQL Lab, or as the SQL of a virtual data set, without the comment above. “Unsupported table” means that the',
    '-- gateway rejected the request: curl shows why. A result without rows is the error “has no columns”.',
    ...limitNote('--', request),
    `SELECT * FROM "${urlOf(request, plainNumbers(request))}#$.result[*]"`,
  ].join('\n');
}

/** Lines that fetch the rows as a CSV file, and then go on. */
function csvInto(request: SnippetRequest, file: string): readonly string[] {
  return [
    `curl --fail-with-body --silent --show-error --output '${file}' \\`,
    `  --header 'X-API-KEY: ${KEY_PLACEHOLDER}' \\`,
    ...showTruncation(request).map((option) => `  ${option} \\`),
    `  '${urlOf(request, { format: 'csv' })}' &&`,
  ];
}
