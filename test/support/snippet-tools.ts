import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { KEY_PLACEHOLDER } from '../../console/src/snippets/index.js';

/** The address of the gateway in snippets. */
export const BASE = 'http://gateway.example/';

/** A request as the tool of a snippet makes it. */
export interface ToolRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: string | undefined;
}

const headerOf = (text: string): Readonly<Record<string, string>> => {
  const [, name = '', value = ''] = /^(.+?)(?: ?[:=] ?)(.+)$/.exec(text) ?? [];
  return { [name]: value };
};

/** The first curl command of a script, as a shell passes it. */
export async function firstCurl(script: string): Promise<ToolRequest> {
  const print = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; exit; }\n`;
  const { stdout } = await promisify(execFile)('sh', ['-c', print + script]);
  const words = stdout.split('\0');
  const valuesOf = (option: string): readonly string[] =>
    words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const url = new URL(words.find((word) => word.startsWith('http')) ?? '');
  for (const pair of valuesOf('--data-urlencode')) {
    const equals = pair.indexOf('=');
    url.searchParams.append(pair.slice(0, equals), pair.slice(equals + 1));
  }
  const headers = Object.assign({}, ...valuesOf('--header').map(headerOf)) as ToolRequest['headers'];
  return { url, headers, body: valuesOf('--data')[0] };
}

/** What Apps Script fetches for the formula `=QUERYGATE()`, and the cells of the formula. */
export function runAppsScript(
  script: string,
  responseHeaders: ToolRequest['headers'] = {},
  result: readonly object[] = [{ timestamp: 'then' }],
): { readonly request: ToolRequest; readonly cells: readonly (readonly unknown[])[] } {
  const fetched: ToolRequest[] = [];
  const fetch = (url: string, { headers }: Pick<ToolRequest, 'headers'>): object => {
    fetched.push({ url: new URL(url), headers });
    return {
      getResponseCode: () => 200,
      getHeaders: () => responseHeaders,
      getContentText: () => JSON.stringify({ result }),
    };
  };
  const cells = runInNewContext(`${script}\nQUERYGATE()`, { UrlFetchApp: { fetch }, JSON }) as unknown[][];
  return { request: fetched[0] ?? { url: new URL(BASE), headers: {} }, cells };
}

export function appsScript(script: string): ToolRequest {
  const { request: sent, cells } = runAppsScript(script);
  expect(cells.length).toBe(2);
  expect(cells[1]).toContain('then');
  return sent;
}

/** Infinity sends the headers of the data source with the query of a panel. */
export function infinity(text: string): ToolRequest {
  const [, header = ''] = /under Headers (\S+ = \S+?),/.exec(text) ?? [];
  const query = JSON.parse(text.replaceAll(/^\/\/.*$/gm, '')) as {
    readonly url: string;
    readonly url_options: { readonly params: readonly { readonly key: string; readonly value: string }[] };
  };
  const url = new URL(query.url);
  for (const { key, value } of query.url_options.params) url.searchParams.append(key, value);
  expect(JSON.stringify(query)).not.toContain(KEY_PLACEHOLDER);
  return { url, headers: headerOf(header) };
}

/** `Web.Contents(base, [RelativePath = …, Query = […], Headers = […]])` */
export function webContents(text: string): ToolRequest {
  const pairs = (list: string): readonly (readonly [string, string])[] =>
    [...list.matchAll(/#?"((?:[^"]|"")*)" = "((?:[^"]|"")*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('""', '"').replaceAll('#(lf)', '\n')] as const,
    );
  const part = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
  const url = new URL(part(/RelativePath = "([^"]+)"/), part(/Web\.Contents\("([^"]+)"/));
  for (const [name, value] of pairs(part(/Query = \[(.*)\],?$/m))) url.searchParams.append(name, value);
  return { url, headers: Object.fromEntries(pairs(part(/Headers = \[(.*)\]$/m))) };
}
