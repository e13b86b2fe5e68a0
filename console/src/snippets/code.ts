import { callPath, entries, KEY_PLACEHOLDER, kindOf, urlOf, type SnippetRequest } from './request.js';

const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** For a shell. */
export function curl(request: SnippetRequest): string {
  const { endpoint, values, base } = request;
  return [
    `curl --fail-with-body --silent --show-error --get ${shell(base + callPath(endpoint.name))}`,
    `--header ${shell(`X-API-KEY: ${KEY_PLACEHOLDER}`)}`,
    ...entries(values).map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`),
  ].join(' \\\n  ');
}

/** For a shell, with the parameters in the body: they may be long, and are in no URL. */
export function curlPost({ endpoint, values, base }: SnippetRequest): string {
  return [
    `curl --fail-with-body --silent --show-error ${shell(base + callPath(endpoint.name))}`,
    `--header ${shell(`X-API-KEY: ${KEY_PLACEHOLDER}`)}`,
    `--header 'Content-Type: application/json'`,
    `--data ${shell(JSON.stringify(Object.fromEntries(entries(values)), undefined, 2))}`,
  ].join(' \\\n  ');
}

/** For Node 20 and later, as a module, and for browsers. */
export function javascript({ endpoint, values, base }: SnippetRequest): string {
  const parameters = entries(values).map(
    ([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],`,
  );
  return [
    `const url = new URL(${JSON.stringify(base + callPath(endpoint.name))});`,
    'url.search = new URLSearchParams([',
    ...parameters,
    ']);',
    `const response = await fetch(url, { headers: { 'X-API-KEY': '${KEY_PLACEHOLDER}' } });`,
    'const body = await response.json();',
    'if (!response.ok) throw new Error(`${body.code}: ${body.detail}`);',
    "if (response.headers.get('x-partial')) console.warn('Rows are missing: a part of ClickHouse was unreachable.');",
    "if (response.headers.get('x-truncated')) console.warn('There are more rows than were returned.');",
    'console.log(body.result);',
  ].join('\n');
}

/** A JSON string is a Python string too. */
const python = (text: string): string => JSON.stringify(text);

/** For Python with pandas; the standard library does the request. */
export function pandas({ endpoint, values, base }: SnippetRequest): string {
  const times = endpoint.columns.filter((column) => kindOf(column) === 'time');
  return [
    'import json',
    'import urllib.parse',
    'import urllib.request',
    '',
    'import pandas as pd',
    '',
    'parameters = {',
    ...entries(values).map(([name, value]) => `    ${python(name)}: ${python(value)},`),
    '}',
    `url = ${python(`${base}${callPath(endpoint.name)}?`)} + urllib.parse.urlencode(parameters)`,
    `request = urllib.request.Request(url, headers={"X-API-KEY": "${KEY_PLACEHOLDER}"})`,
    'with urllib.request.urlopen(request) as response:',
    '    frame = pd.DataFrame(json.load(response)["result"])',
    ...times.map(({ name }) => `frame[${python(name)}] = pd.to_datetime(frame[${python(name)}], utc=True)`),
    'print(frame)',
  ].join('\n');
}

/** For Google Sheets: a function, and a formula without one. */
export function googleSheets(request: SnippetRequest): string {
  const { endpoint } = request;
  return [
    '// Extensions > Apps Script; then, in a cell: =QUERYGATE()',
    'function QUERYGATE() {',
    `  const response = UrlFetchApp.fetch(${JSON.stringify(urlOf(request))}, {`,
    `    headers: { 'X-API-KEY': '${KEY_PLACEHOLDER}' },`,
    '    muteHttpExceptions: true,',
    '  });',
    '  const body = JSON.parse(response.getContentText());',
    '  if (response.getResponseCode() !== 200) throw new Error(body.detail);',
    `  const columns = ${JSON.stringify(endpoint.columns.map(({ name }) => name))};`,
    "  const cell = (value) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value);",
    '  return [columns, ...body.result.map((row) => columns.map((column) => cell(row[column])))];',
    '}',
    '',
    '// Without a script: IMPORTDATA can’t send a header. Ask the operator for a signed link of this request with',
    '// format=csv (npm run keys -- link), and write in a cell: =IMPORTDATA("SIGNED_LINK")',
    '// Google has to be able to reach the gateway for either.',
  ].join('\n');
}
