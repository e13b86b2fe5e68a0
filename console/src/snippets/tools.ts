import {
  callPath,
  entries,
  KEY_PLACEHOLDER,
  kindOf,
  takesFormat,
  urlOf,
  type SnippetRequest,
} from './request.js';

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
export function powerQuery({ endpoint, values, base }: SnippetRequest): string {
  const names = endpoint.columns.map(({ name }) => m(name)).join(', ');
  const typed = endpoint.columns.filter((column) => kindOf(column) !== 'text');
  const types = typed.map((column) => `{${m(column.name)}, ${M_TYPES[kindOf(column)]}}`).join(', ');
  const query = entries(values)
    .map(([name, value]) => `#${m(name)} = ${m(value)}`)
    .join(', ');
  return [
    '// Data > Get Data > From Other Sources > Blank Query > Advanced Editor; access: anonymous',
    'let',
    `  Response = Json.Document(Web.Contents(${m(base)}, [`,
    `    RelativePath = ${m(callPath(endpoint.name))},`,
    `    Query = [${query}],`,
    `    Headers = [#"X-API-KEY" = "${KEY_PLACEHOLDER}"]`,
    '  ])),',
    `  Rows = Table.FromRecords(Response[result], {${names}}, MissingField.UseNull),`,
    `  Typed = Table.TransformColumnTypes(Rows, {${types}}, "en-US")`,
    'in',
    '  Typed',
  ].join('\n');
}

const GRAFANA_TYPES = { time: 'timestamp', number: 'number', text: 'string' } as const;

/** For Grafana's Infinity data source: the query of a panel, as in its JSON. Its readers must not see the key. */
export function grafana({ endpoint, values, base }: SnippetRequest): string {
  const query = {
    refId: 'A',
    type: 'json',
    parser: 'backend',
    source: 'url',
    format: 'table',
    url: base + callPath(endpoint.name),
    url_options: {
      method: 'GET',
      params: entries(values).map(([key, value]) => ({ key, value })),
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

/** For Superset, through shillelagh or as a file. */
export function superset(request: SnippetRequest): string {
  const { endpoint } = request;
  const address = `${urlOf(request)}${Object.keys(request.values).length === 0 ? '?' : '&'}_s_headers=(X-API-KEY:${KEY_PLACEHOLDER})`;
  return [
    '-- Superset reads HTTP APIs through shillelagh: pip install "shillelagh[genericjsonapi]", then add a database',
    '-- with the URI shillelagh+safe://',
    '-- In SQL Lab, or as the SQL of a virtual data set:',
    `SELECT ${endpoint.columns.map(({ name }) => `"${name}"`).join(', ')}`,
    `FROM "${address.replaceAll('"', '%22')}#$.result[*]"`,
  ].join('\n');
}

/** Lines that fetch the rows as a CSV file. */
function csvInto(request: SnippetRequest, file: string): readonly string[] {
  const byFormat = takesFormat(request);
  return [
    `curl --fail-with-body --silent --show-error --output '${file}' \\`,
    `  --header 'X-API-KEY: ${KEY_PLACEHOLDER}' \\`,
    ...(byFormat ? [] : ["  --header 'Accept: text/csv' \\"]),
    `  '${urlOf(request, byFormat ? { format: 'csv' } : {}).replaceAll("'", '%27')}'`,
  ];
}
