import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { KEY_PLACEHOLDER, SNIPPETS, type SnippetRequest } from '../../console/src/snippets/index.js';
import { textOf } from '../support/documentation.js';
import { createTestGateway, KEY } from '../support/test-gateway.js';

const BASE = 'http://gateway.example/';

/** A request as the tool of a snippet makes it. */
interface ToolRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: string | undefined;
}

/** A value with what a shell, SQL, a URL, JSON, Python, M or a template would take for its own. */
const AWKWARD = 'aurora|it\'s "no" a+b %41 $HOME `id` \\ {{x}} [0] --/* #é;\n&:y';

const endpointOf = async (name: string): Promise<SnippetRequest['endpoint']> =>
  ((await gateway.get(`/api/endpoints/${name}`)) as { readonly body: SnippetRequest['endpoint'] }).body;

const request = async (): Promise<SnippetRequest> => ({
  endpoint: await endpointOf('usage.api-counts'),
  values: { project: AWKWARD, interval: 'daily' },
  base: BASE,
});

/** A request whose result is cut by design, unless the row cap is lower than the limit of the saved query. */
const limitedRequest = async (
  maxRows?: number,
  values: SnippetRequest['values'] = {},
): Promise<SnippetRequest> => {
  const endpoint = await endpointOf('logs.all');
  return {
    endpoint: { ...endpoint, maxRows: maxRows ?? endpoint.maxRows },
    values: { project: 'aurora', ...values },
    base: BASE,
  };
};

const headerOf = (text: string): Readonly<Record<string, string>> => {
  const [, name = '', value = ''] = /^(.+?)(?: ?[:=] ?)(.+)$/.exec(text) ?? [];
  return { [name]: value };
};

/** The first curl command of a script, as a shell passes it. */
async function firstCurl(script: string): Promise<ToolRequest> {
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
function runAppsScript(
  script: string,
  responseHeaders: ToolRequest['headers'] = {},
): { readonly request: ToolRequest; readonly cells: readonly (readonly unknown[])[] } {
  const fetched: ToolRequest[] = [];
  const fetch = (url: string, { headers }: Pick<ToolRequest, 'headers'>): object => {
    fetched.push({ url: new URL(url), headers });
    return {
      getResponseCode: () => 200,
      getHeaders: () => responseHeaders,
      getContentText: () => '{"result":[{"timestamp":"then"}]}',
    };
  };
  const cells = runInNewContext(`${script}\nQUERYGATE()`, { UrlFetchApp: { fetch }, JSON }) as unknown[][];
  return { request: fetched[0] ?? { url: new URL(BASE), headers: {} }, cells };
}

function appsScript(script: string): ToolRequest {
  const { request: sent, cells } = runAppsScript(script);
  expect(cells.length).toBe(2);
  expect(cells[1]).toContain('then');
  return sent;
}

/** Infinity sends the headers of the data source with the query of a panel. */
function infinity(text: string): ToolRequest {
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

/**
 * Shillelagh sends the headers of its adapter’s settings, which Superset passes to `create_engine`, and not the fragment,
 * which selects the rows.
 */
function shillelagh(text: string): ToolRequest {
  const [comment = '', sql = ''] = text.split('*/\n');
  const settings = JSON.parse(/^\{[^]*^\}/m.exec(comment)?.[0] ?? '') as {
    readonly connect_args: {
      readonly adapters: readonly string[];
      readonly adapter_kwargs: {
        readonly genericjsonapi: { readonly request_headers: ToolRequest['headers'] };
      };
    };
  };
  expect(settings.connect_args.adapters).toEqual(['genericjsonapi']);
  expect(sql).not.toContain(KEY_PLACEHOLDER);
  const url = new URL(/^SELECT \* FROM "([^"]+)"$/m.exec(sql)?.[1] ?? '');
  expect(url.hash).toBe('#$.result[*]');
  url.hash = '';
  return { url, headers: settings.connect_args.adapter_kwargs.genericjsonapi.request_headers };
}

/** `Web.Contents(base, [RelativePath = …, Query = […], Headers = […]])` */
function webContents(text: string): ToolRequest {
  const pairs = (list: string): readonly (readonly [string, string])[] =>
    [...list.matchAll(/#?"((?:[^"]|"")*)" = "((?:[^"]|"")*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('""', '"').replaceAll('#(lf)', '\n')] as const,
    );
  const part = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
  const url = new URL(part(/RelativePath = "([^"]+)"/), part(/Web\.Contents\("([^"]+)"/));
  for (const [name, value] of pairs(part(/Query = \[(.*)\],?$/m))) url.searchParams.append(name, value);
  return { url, headers: Object.fromEntries(pairs(part(/Headers = \[(.*)\]$/m))) };
}

const REQUESTS: Readonly<Record<string, (text: string) => ToolRequest | Promise<ToolRequest>>> = {
  curl: firstCurl,
  'curl-post': firstCurl,
  'power-query': webContents,
  'google-sheets': appsScript,
  grafana: infinity,
  metabase: firstCurl,
  superset: shillelagh,
};
/** The browser tests run these. */
const PROGRAMS = ['javascript', 'pandas'];
/** These read the headers of a response; the others have a comment with the limit. */
const REPORTS_A_CUT = ['curl', 'curl-post', 'javascript', 'pandas', 'google-sheets', 'metabase'];

const gateway = await createTestGateway();

describe('the snippets of the console', () => {
  it('are all tested', () => {
    expect(SNIPPETS.map(({ id }) => id).sort()).toEqual([...Object.keys(REQUESTS), ...PROGRAMS].sort());
  });

  it.each(SNIPPETS.filter(({ id }) => Object.hasOwn(REQUESTS, id)))(
    '$id sends the parameters, and the key in the header X-API-KEY alone',
    async ({ id, write }) => {
      const snippet = await request();
      const sent = await REQUESTS[id]?.(write(snippet));
      const { url, headers, body }: ToolRequest = sent ?? { url: new URL(BASE), headers: {} };
      expect(url.href).not.toContain(KEY_PLACEHOLDER);
      expect(headers['X-API-KEY']).toBe(KEY_PLACEHOLDER);
      const target = url.pathname + url.search;
      const agent = gateway.agent();
      const call = body === undefined ? agent.get(target) : agent.post(target).send(body);
      const response = await call.set({ ...headers, 'X-API-KEY': KEY });
      expect(response.status).toBe(200);
      expect(gateway.runQuery.requests.at(-1)?.query.parameters).toMatchObject({
        project: snippet.values['project'],
      });
    },
  );

  it('pandas names the packages to install', async () => {
    const text = SNIPPETS.find(({ id }) => id === 'pandas')?.write(await request());
    expect(text).toMatch(/^# pip install pandas pyarrow\n/);
  });

  it.each(SNIPPETS)('$id sends complete=1, so that a cut result is an error', async ({ id, write }) => {
    const lowCap = await limitedRequest(99);
    const ownSql = await limitedRequest(1000, { sql: 'SELECT id FROM edge_source' });
    for (const snippet of [await request(), lowCap, ownSql]) {
      const text = write(snippet);
      expect(text).toMatch(/\bcomplete\b/);
      const sent = await REQUESTS[id]?.(text);
      if (sent) expect(sent.url.searchParams.get('complete')).toBe('1');
      expect(text).not.toMatch(/X-Truncated|LIMIT/i);
    }
  });

  it.each(SNIPPETS)(
    '$id leaves complete=1 out where the saved query cuts results by design, and says so',
    async ({ id, write }) => {
      for (const maxRows of [100, 1000]) {
        const text = write(await limitedRequest(maxRows));
        expect(text).not.toMatch(/\bcomplete\b/);
        expect(text).toMatch(REPORTS_A_CUT.includes(id) ? /X-Truncated/i : /first 100 rows/);
      }
    },
  );
});

describe('the snippet for JavaScript', () => {
  const snippetFor = async (
    types: readonly string[],
    parameters: readonly string[] = [],
  ): Promise<string> => {
    const { write = () => '' } = SNIPPETS.find(({ id }) => id === 'javascript') ?? {};
    const { endpoint, ...others } = await request();
    const columns = types.map((type) => ({ name: 'n', type, description: '' }));
    const declared = parameters.map((name) => ({ ...endpoint.parameters[0], name }));
    return write({
      ...others,
      endpoint: { ...endpoint, columns, parameters: declared as typeof endpoint.parameters },
    });
  };

  it.each([
    'UInt64',
    'Map(String, Nullable(Int256))',
    'IntervalDay',
    'Array(Decimal(16, 2))',
    'Decimal(76, 2)',
  ])('has numbers that JavaScript would round as text: %s', async (type) => {
    expect(await snippetFor(['String', type])).toContain('["numbers", "text"]');
    expect(await snippetFor([type], ['numbers'])).not.toContain('numbers');
  });

  it('has the others as numbers', async () => {
    expect(await snippetFor(['UInt32', 'Float64', 'Decimal(15, 2)', 'String'])).not.toContain('numbers');
  });
});

describe('the script for Google Sheets', () => {
  const cellsFor = async (headers: ToolRequest['headers']): Promise<readonly (readonly unknown[])[]> => {
    const { write = () => '' } = SNIPPETS.find(({ id }) => id === 'google-sheets') ?? {};
    return runAppsScript(write(await limitedRequest()), headers).cells;
  };
  const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'];

  it.each(['X-Truncated', 'x-truncated'])(
    'says beside the headings that rows are missing: %s',
    async (name) => {
      const [headings, ...rows] = await cellsFor({ [name]: 'true' });
      expect(headings).toEqual([...COLUMNS, 'Rows are missing: X-Truncated']);
      expect(rows).toEqual([[undefined, 'then', undefined, undefined, '']]);
    },
  );

  it('has the columns alone where no rows are missing', async () => {
    const [headings, ...rows] = await cellsFor({ 'X-Row-Count': '1' });
    expect(headings).toEqual(COLUMNS);
    expect(rows).toEqual([[undefined, 'then', undefined, undefined]]);
  });
});

it('docs/how-to/connect-tools.md has the key in the header X-API-KEY in every block', async () => {
  const blocks = [
    ...(await textOf('docs/how-to/connect-tools.md')).matchAll(/^ *```[a-z]+\n([^]*?)^ *```$/gm),
  ];
  const withKey = blocks.map(([, text = '']) => text).filter((text) => /\b(?:API_)?KEY\b/.test(text));
  expect(withKey.length).toBeGreaterThanOrEqual(3);
  for (const text of withKey) expect(text).toMatch(/X-API-KEY/);
  expect(withKey.join('')).not.toMatch(/api_key=|Bearer/);
});
