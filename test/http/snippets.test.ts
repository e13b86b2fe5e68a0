import { KEY_PLACEHOLDER, SNIPPETS, type SnippetRequest } from '../../console/src/snippets/index.js';
import { textOf } from '../support/documentation.js';
import {
  appsScript,
  BASE,
  firstCurl,
  infinity,
  runAppsScript,
  webContents,
  type ToolRequest,
} from '../support/snippet-tools.js';
import { createTestGateway, KEY } from '../support/test-gateway.js';

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

const REQUESTS: Readonly<Record<string, (text: string) => ToolRequest | Promise<ToolRequest>>> = {
  curl: firstCurl,
  'curl-post': firstCurl,
  'power-query': webContents,
  'google-sheets': appsScript,
  grafana: infinity,
};
/** The browser tests run these. */
const PROGRAMS = ['javascript', 'pandas', 'sql'];
/** The others read the endpoint as a table, whole or not at all. */
const OF_RESULTS = SNIPPETS.filter(({ readsTable }) => !readsTable);
/** These read the headers of a response; the others have a comment with the limit. */
const REPORTS_A_CUT = ['curl', 'curl-post', 'javascript', 'pandas', 'google-sheets'];

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

  it.each(OF_RESULTS)('$id sends complete=1, so that a cut result is an error', async ({ id, write }) => {
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

  it.each(OF_RESULTS)(
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
