import {
  bodyUrlOf,
  callPath,
  csvQuery,
  entries,
  exactNumbers,
  KEY_PLACEHOLDER,
  limitNote,
  limitOf,
  roundedColumns,
  sentValues,
  SHEET_DIGITS,
  urlOf,
  type SnippetRequest,
} from './request.js';
import type { Values } from '../model/endpoint.js';

const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The curl option that prints whether an endpoint’s own limit cut the result; its rows are on standard output. */
export const showTruncation = (request: SnippetRequest): readonly string[] =>
  limitOf(request) === undefined
    ? []
    : [String.raw`--write-out '%{stderr}X-Truncated: %header{x-truncated}\n'`];

/** A command for a shell. */
export function curl(request: SnippetRequest): string {
  const { endpoint, base } = request;
  return [
    `curl --fail-with-body --silent --show-error --get ${shell(base + callPath(endpoint.name))}`,
    `--header ${shell(`X-API-KEY: ${KEY_PLACEHOLDER}`)}`,
    ...showTruncation(request),
    ...entries(sentValues(request)).map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`),
  ].join(' \\\n  ');
}

/** A command for a shell, with the parameters in the body: they may be long, and must not be in a URL. */
export function curlPost(request: SnippetRequest): string {
  return [
    `curl --fail-with-body --silent --show-error ${shell(bodyUrlOf(request))}`,
    `--header ${shell(`X-API-KEY: ${KEY_PLACEHOLDER}`)}`,
    `--header 'Content-Type: application/json'`,
    ...showTruncation(request),
    `--data ${shell(JSON.stringify(Object.fromEntries(entries(request.values)), undefined, 2))}`,
  ].join(' \\\n  ');
}

/** Code for Node 20 and later, as a module, and for browsers. */
export function javascript(request: SnippetRequest): string {
  const { endpoint, base } = request;
  const { values, headers } = exactNumbers(request);
  const parameters = entries(sentValues(request, values)).map(
    ([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],`,
  );
  return [
    `const url = new URL(${JSON.stringify(base + callPath(endpoint.name))});`,
    'url.search = new URLSearchParams([',
    ...parameters,
    ']);',
    `const response = await fetch(url, { headers: ${headersText(headers)} });`,
    'const body = await response.json();',
    'if (!response.ok) throw new Error(`${body.code}: ${body.detail}`);',
    ...warnings(request),
    'console.log(body.result);',
  ].join('\n');
}

/** The object of the headers, in JavaScript. */
const headersText = (headers: Values): string =>
  `{ ${entries({ "'X-API-KEY'": KEY_PLACEHOLDER, ...headers })
    .map(([name, value]) => `${name}: '${value}'`)
    .join(', ')} }`;

/** Code that warns of an incomplete result, where no parameter makes that an error. */
const warnings = (request: SnippetRequest): readonly string[] =>
  limitOf(request) === undefined
    ? []
    : [
        "if (response.headers.get('x-partial')) console.warn('Rows are missing: a part of ClickHouse was unreachable.');",
        "if (response.headers.get('x-truncated')) console.warn('There are more rows than were returned.');",
      ];

/** A JSON string is a Python string too. */
const python = (text: string): string => JSON.stringify(text);

/** Code for Python with pandas, which reads Parquet with pyarrow. Parquet has the types of the columns even without rows. */
export function pandas(request: SnippetRequest): string {
  const { endpoint, base } = request;
  const parameters = entries(sentValues(request, { format: 'parquet' }));
  return [
    '# pip install pandas pyarrow',
    'import io',
    'import urllib.error',
    'import urllib.parse',
    'import urllib.request',
    '',
    'import pandas as pd',
    '',
    'parameters = {',
    ...parameters.map(([name, value]) => `    ${python(name)}: ${python(value)},`),
    '}',
    `url = ${python(`${base}${callPath(endpoint.name)}?`)} + urllib.parse.urlencode(parameters)`,
    `request = urllib.request.Request(url, headers={"X-API-KEY": "${KEY_PLACEHOLDER}"})`,
    'try:',
    '    with urllib.request.urlopen(request) as response:',
    '        frame = pd.read_parquet(io.BytesIO(response.read()))',
    'except urllib.error.HTTPError as error:',
    '    raise RuntimeError(error.read().decode()) from error',
    ...(limitOf(request) === undefined ? [] : ['print("X-Truncated:", response.headers["X-Truncated"])']),
    'print(frame)',
  ].join('\n');
}

/** A sheet sums no text, and a sum of a column that is text in a few rows would be wrong. */
function sheetNumbers(request: SnippetRequest): readonly string[] {
  const rounded = roundedColumns(request);
  if (rounded.length === 0) return ['  const numeric = [];'];
  return [
    `  // A sheet keeps ${SHEET_DIGITS} digits of a number: a column with a longer one is text.`,
    `  const isLong = (value) => String(value).replace(/^[-0.]+|\\./g, '').length > ${SHEET_DIGITS};`,
    `  const numeric = ${JSON.stringify(rounded)}.filter((column) => !body.result.some((row) => isLong(row[column])));`,
  ];
}

/**
 * The cells of the formula. A note that rows are missing stands beside the headings: there a person sees it without
 * scrolling, and no sum, chart or filter takes it for a row. Google documents no case of the names of headers.
 */
const sheetRows = (request: SnippetRequest): readonly string[] =>
  limitOf(request) === undefined
    ? ['  return [columns, ...body.result.map((row) => columns.map((column) => cell(row, column)))];']
    : [
        '  const headers = Object.keys(response.getHeaders()).map((name) => name.toLowerCase());',
        "  const reasons = ['X-Truncated', 'X-Partial'].filter((name) => headers.includes(name.toLowerCase()));",
        "  const note = reasons.length > 0 ? [`Rows are missing: ${reasons.join(', ')}`] : [];",
        "  const rowOf = (row) => [...columns.map((column) => cell(row, column)), ...note.map(() => '')];",
        '  return [[...columns, ...note], ...body.result.map(rowOf)];',
      ];

/** Code for Google Sheets: a function, and a formula without one. */
export function googleSheets(request: SnippetRequest): string {
  const { endpoint } = request;
  const { values, headers } = exactNumbers(request);
  return [
    '// Extensions > Apps Script; then, in a cell: =QUERYGATE()',
    ...limitNote('//', request),
    'function QUERYGATE() {',
    `  const response = UrlFetchApp.fetch(${JSON.stringify(urlOf(request, values))}, {`,
    `    headers: ${headersText(headers)},`,
    '    muteHttpExceptions: true,',
    '  });',
    '  const body = JSON.parse(response.getContentText());',
    '  if (response.getResponseCode() !== 200) throw new Error(body.detail);',
    `  const columns = ${JSON.stringify(endpoint.columns.map(({ name }) => name))};`,
    ...sheetNumbers(request),
    '  const cell = (row, column) => {',
    '    const value = row[column];',
    "    if (value !== null && typeof value === 'object') return JSON.stringify(value);",
    "    return typeof value === 'string' && numeric.includes(column) ? Number(value) : value;",
    '  };',
    ...sheetRows(request),
    '}',
    '',
    '// Without a script: IMPORTDATA can’t send a header. Make a signed link of this request (Signed link, on this page, where',
    '// your key may sign, else the operator with npx querygate keys link), and write in a cell:',
    `// =IMPORTDATA("SIGNED_LINK&${csvQuery(request)}")`,
    ...(roundedColumns(request).length === 0
      ? []
      : [`// It rounds numbers of more than ${SHEET_DIGITS} digits, which the script has as text.`]),
    '// Google has to be able to reach the gateway for either.',
  ].join('\n');
}
