import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { openAccessOnClickHouse } from '../../support/access-on-clickhouse.js';
import type { NetworkResponse } from '../../support/network-request.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { openForAll } from '../../support/opened.js';

const SECRET = 'SECRET-of-boreal';
/** A pinned value that would change a filter that was not quoted. */
const ODD = `o'brien\\' OR 1 = 1 -- {"'`;

/** WITH queries of which a pinned key may not read any: each shows rows of other tenants. */
const LEAKING: Readonly<Record<string, string>> = {
  recent: 'SELECT project, event_message FROM edge_logs WHERE timestamp >= @since',
  either: "SELECT project, event_message FROM edge_logs WHERE project = @project OR event_message LIKE '%'",
  negated: 'SELECT project, event_message FROM edge_logs WHERE NOT project = @project',
  joined:
    'SELECT f.event_message AS event_message FROM edge_logs AS e JOIN edge_logs AS f ON 1 = 1 WHERE project = @project',
  united:
    'SELECT event_message FROM edge_logs WHERE project = @project UNION ALL SELECT event_message FROM edge_logs',
  nested:
    'SELECT (SELECT groupArray(event_message) FROM edge_logs) AS event_message FROM edge_logs WHERE project = @project',
  inherited: 'SELECT * FROM recent WHERE project = @project',
  renamed: 'SELECT event_message, @project AS project FROM edge_logs WHERE project = @project',
  renamed_without_as: 'SELECT event_message, @project project FROM edge_logs WHERE project = @project',
  renamed_inside:
    'SELECT event_message, upper(@project AS project) AS p FROM edge_logs WHERE project = @project',
  optional: 'SELECT project, event_message FROM edge_logs WHERE true [[ AND project = @only ]]',
  of_case:
    'SELECT event_message FROM edge_logs WHERE CASE WHEN 0 AND project = @project AND 1 THEN 1 ELSE 1 END',
  between: 'SELECT event_message FROM edge_logs WHERE 1 BETWEEN 0 AND project != @project',
};

const PARAMETERS = [
  'sandboxing: enabled',
  'caching: disabled',
  'parameters:',
  '  project: { kind: string, required: true, description: Project reference. }',
  '  since: { kind: timestamp, default: 2090-01-01, description: Only from then on. }',
  '  only: { kind: string, description: Only these. }',
  'columns: { event_message: String }',
];
const BODY =
  "SELECT event_message FROM mine WHERE @since > '1990-01-01' [[ AND event_message != @only ]] ORDER BY event_message";

const listOf = (queries: Readonly<Record<string, string>>): string =>
  Object.entries(queries)
    .map(([name, query]) => `${name} AS (${query})`)
    .join(',\n');

const BY_WHERE = readSqlEndpoint(
  sqlEndpointFile(
    'by.where',
    PARAMETERS,
    `WITH ${listOf({ mine: 'SELECT project, event_message FROM edge_logs WHERE project = @project', ...LEAKING })}\n${BODY}`,
  ),
);

/** The same queries are readable where the header names the filter of their table. */
const BY_HEADER = readSqlEndpoint(
  sqlEndpointFile(
    'by.header',
    [...PARAMETERS, 'tenant: { edge_logs: project, edge_view: project }'],
    `WITH ${listOf({
      mine: 'SELECT project, event_message FROM edge_logs WHERE project = @project',
      of_view: 'SELECT event_message FROM edge_view',
      others: 'SELECT event_message FROM database_logs',
      ...LEAKING,
    })}\n${BODY}`,
  ).replace('id: 61f0c404', 'id: 71f0c404'),
);

const opened = openForAll(() =>
  openAccessOnClickHouse({
    keys: {
      aurora: { fixed: { project: 'aurora' } },
      odd: { fixed: { project: ODD } },
      cirrus: { fixed: { project: 'cirrus' } },
      both: { fixed: { project: 'aurora', only: 'x' } },
      everyone: {},
    },
    more: [BY_WHERE, BY_HEADER],
    clock: () => new Date('2096-03-01T12:00:00Z'),
  }),
);
beforeAll(async () => {
  const { client, insert } = opened.database;
  const record = (project: string, event_message: string): object => ({
    project,
    event_message,
    timestamp: '2096-03-01T11:00:00Z',
  });
  const ofCirrus = Array.from({ length: 130 }, (_, n) => ({
    ...record('cirrus', `message ${n}`),
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    timestamp: new Date(Date.UTC(2096, 1, 29, 12, 0, n * 700)).toISOString(),
  }));
  await insert('edge_logs', ofCirrus);
  const records = [record('aurora', 'mine'), record('boreal', SECRET), record(ODD, 'odd')];
  await insert('edge_logs', records);
  await insert('database_logs', records);
  await client.command({ query: 'CREATE VIEW edge_view AS SELECT project, event_message FROM edge_logs' });
});

const request = (key: string, { name }: Endpoint, sql?: string): Promise<NetworkResponse> => {
  const project = key === 'everyone' ? '&project=aurora' : '';
  const own = sql === undefined ? '' : `&sql=${encodeURIComponent(sql)}`;
  return opened.gateway.send(key, `/api/endpoints/query/${name}?${project}${own}`);
};
const problemOf = ({ status, text }: NetworkResponse): readonly unknown[] => {
  const { problems } = JSON.parse(text) as { readonly problems?: readonly { readonly problem: string }[] };
  return [status, problems?.[0]?.problem];
};
const all = (name: string): string => `SELECT groupArray(toString(event_message)) AS all FROM ${name}`;

describe('a key that pins the project', () => {
  it('reads its own rows: of the result, whatever filters them, and of a WITH query with the filter of its table', async () => {
    for (const [name, endpoint] of [
      ['result', BY_WHERE],
      ['result', BY_HEADER],
      ['mine', BY_HEADER],
    ] as const) {
      const { status, text } = await request('aurora', endpoint, all(name));
      expect([name, status, text]).toEqual([name, 200, '{"result":[{"all":["mine"]}]}']);
    }
  });

  it.each(['mine', 'recent', 'inherited'])(
    'gets 400 for a WITH query whose tables the header does not filter: %s',
    async (name) => {
      const response = await request('aurora', BY_WHERE, all(name));
      expect(problemOf(response)).toEqual([
        400,
        expect.stringContaining(`reads “${name}”, which this key may not read`),
      ]);
      expect(response.text).not.toMatch(/SECRET|edge_logs|event_message|timestamp/);
    },
  );

  it('learns from the error which part it is, why, and what it can read', async () => {
    expect(problemOf(await request('aurora', BY_WHERE, all('recent')))).toEqual([
      400,
      'reads “recent”, which this key may not read, because recent reads a table that the endpoint’s tenant does not filter ' +
        'by project; it can read only result, and earlier queries of its WITH',
    ]);
  });

  it.each([
    "WITH 'boreal' AS project SELECT groupArray(event_message) AS all FROM mine",
    "SELECT groupArray(event_message) AS all, 'boreal' AS project FROM mine",
    "SELECT (SELECT groupArray(event_message) FROM mine) AS all FROM (SELECT 'boreal' AS project)",
    "WITH 'boreal' AS project SELECT groupArray(event_message) AS all FROM mine WHERE project = 'boreal' OR 1",
  ])('cannot redefine the column of a filter: %s', async (sql) => {
    for (const endpoint of [BY_WHERE, BY_HEADER]) {
      const { status, text } = await request('aurora', endpoint, sql);
      expect(`${status} ${text}`).not.toContain('SECRET');
      expect([200, 400]).toContain(status);
    }
  });

  it('cannot read a part by a WITH query of that name', async () => {
    const sql = 'WITH recent AS (SELECT 1 AS x) SELECT * FROM recent';
    expect(problemOf(await request('aurora', BY_WHERE, sql))[0]).toBe(400);
  });

  it('reads a part only if each of its pins filters it', async () => {
    expect(problemOf(await request('both', BY_HEADER, all('mine')))).toEqual([
      400,
      expect.stringContaining('mine reads a table that the endpoint’s tenant does not filter by only'),
    ]);
    expect((await request('both', BY_HEADER, all('result'))).status).toBe(200);
  });
});

it('the API description names the parts that the reader’s key may read', async () => {
  const described = async (key: string): Promise<string> => {
    const { text } = await opened.gateway.send(key, '/openapi.json');
    const { paths } = JSON.parse(text) as {
      readonly paths: Readonly<
        Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>
      >;
    };
    const { parameters = [] } = paths['/api/endpoints/query/by.header']?.get ?? {};
    return parameters.find(({ name }) => name === 'sql')?.description ?? '';
  };
  interface Parameter {
    readonly name: string;
    readonly description: string;
  }
  expect(await described('aurora')).toMatch(/It can also read `mine`, `of_view`, `recent`/);
  expect(await described('both')).not.toContain('It can also read');
  expect(await described('everyone')).toMatch(/`mine`, `of_view`, `others`, `recent`, `either`/);
});

describe('a key without pins', () => {
  it.each(['recent', 'either', 'joined', 'united', 'renamed'])(
    'reads every named part, as before: %s',
    async (name) => {
      const { status, text } = await request('everyone', BY_WHERE, all(name));
      expect([status, text.includes(SECRET)]).toEqual([200, true]);
    },
  );

  it('gets no verdict of a pinned key, nor the other way round', async () => {
    const sql = `${all('recent')} LIMIT 7`;
    const statuses = [];
    for (const key of ['everyone', 'aurora', 'everyone', 'aurora'])
      statuses.push((await request(key, BY_WHERE, sql)).status);
    expect(statuses).toEqual([200, 400, 200, 400]);
  });
});

describe('where the header names the filter of a table', () => {
  it.each([...Object.keys(LEAKING), 'mine', 'of_view', 'result'])(
    'a pinned key reads its own rows only: %s',
    async (name) => {
      const { status, text } = await request('aurora', BY_HEADER, all(name));
      expect([status, text.includes('SECRET') || text.includes('odd')]).toEqual([200, false]);
    },
  );

  it('a pinned key reads rows in joins, UNIONs, subqueries and through other WITH queries', async () => {
    for (const name of ['recent', 'joined', 'inherited', 'of_view']) {
      expect((await request('aurora', BY_HEADER, all(name))).text).toBe('{"result":[{"all":["mine"]}]}');
    }
  });

  it('a query that reads another table stays withheld', async () => {
    expect(problemOf(await request('aurora', BY_HEADER, all('others')))[0]).toBe(400);
  });

  it('any text is a value, and never becomes part of the filter', async () => {
    expect((await request('odd', BY_HEADER, all('recent'))).text).toBe('{"result":[{"all":["odd"]}]}');
    expect((await request('odd', BY_HEADER)).text).toBe('{"result":[{"event_message":"odd"}]}');
  });

  it('a plain call of a pinned key has the bytes of the same call without pins', async () => {
    const of = (key: string, project: string, rest: string): Promise<NetworkResponse> =>
      opened.gateway.send(key, `/api/endpoints/query/logs.all?${project}${rest}`);
    for (const rest of [
      ...['FREE', 'PRO', 'PAYG', 'other'].map((tier) => `project_tier=${tier}`),
      ...['csv', 'ndjson', 'tsv', 'json'].map((format) => `project_tier=PRO&format=${format}`),
      'project_tier=PRO&iso_timestamp_start=2096-02-29T12:30:00Z&iso_timestamp_end=2096-02-29T13:00:00Z',
    ]) {
      const [pinned, plain] = [await of('cirrus', '', rest), await of('everyone', 'project=cirrus&', rest)];
      expect([rest, pinned.status, pinned.text]).toEqual([rest, 200, plain.text]);
      expect(pinned.text).toContain('message 5');
    }
  });

  it('a key without pins reads everything', async () => {
    const { text } = await request('everyone', BY_HEADER, 'SELECT count() AS n FROM recent');
    expect(text).toBe('{"result":[{"n":133}]}');
  });
});
