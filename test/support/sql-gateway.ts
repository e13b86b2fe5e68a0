import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { readConfig } from '../../src/gateway/config/config.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import { demoDatabase, variablesOf } from './demo-database.js';
import { RecordingLogger } from './recording-logger.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** Keys: of a person who sees every project, of the tenant aurora, and of one with a request per minute. */
export const SQL_KEYS = { all: 'qg_sql-all', tenant: 'qg_sql-tenant', limited: 'qg_sql-limited' } as const;

const header = (name: string, index: number, lines: readonly string[]): string =>
  [
    '/*',
    `name: ${name}`,
    `id: 61f0c404-5cb3-11e7-907b-a6006ad3d${String(index).padStart(3, '0')}`,
    'summary: For a test.',
    ...lines,
    '*/',
    '',
  ].join('\n');

/** Endpoints, by name: the lines of the header, and the SELECT. */
export type SqlEndpoints = Readonly<Record<string, readonly [lines: readonly string[], select: string]>>;

/** What a gateway serves where a test has no endpoints of its own. */
export const SQL_ENDPOINTS = {
  'edge.by-status': [
    [
      'parameters:',
      '  project: { kind: string, description: Project. }',
      '  statuses: { kind: integer-list, set: true, description: Only these. }',
      'columns: { status: UInt16, requests: UInt64, first: "DateTime64(6, \'UTC\')" }',
      'tenant: { edge_logs: project }',
      'maxRows: 2',
      'tables: true',
      'example: { project: aurora }',
    ],
    `SELECT status_code AS status, count() AS requests, min(timestamp) AS first FROM edge_logs
     WHERE 1 [[ AND project = @project ]] [[ AND status_code IN (@statuses) ]] GROUP BY status`,
  ],
  'edge.of-project': [
    [
      'parameters: { project: { kind: string, required: true, description: Project. } }',
      'columns: { path: String, requests: UInt64 }',
      'tenant: { edge_logs: project }',
      'tables: true',
      'example: { project: aurora }',
    ],
    'SELECT path, count() AS requests FROM edge_logs WHERE project = @project GROUP BY path',
  ],
  'edge.joined': [
    ['columns: { n: UInt8, other: UInt8 }', 'tables: true', 'example: {}'],
    'SELECT l.n AS n, r.m AS other FROM (SELECT 1 AS n) AS l LEFT JOIN (SELECT 2 AS n, 3 AS m) AS r ON l.n = r.n WHERE r.m = 0',
  ],
  'edge.days': [
    ['columns: { day: Date }', 'tables: true', 'example: {}'],
    'SELECT toDate(toDateTime(1700000000)) AS day',
  ],
  'edge.long': [
    ['columns: { n: UInt64 }', 'queryLimits: { maxRowsToRead: 10 }', 'tables: true', 'example: {}'],
    'SELECT number AS n FROM numbers(100)',
  ],
  'edge.hidden': [['columns: { n: UInt8 }', 'example: {}'], 'SELECT 1 AS n'],
} as const satisfies SqlEndpoints;

/** A complete gateway with the SQL listener, on a real ClickHouse with the demo data. */
export interface SqlGateway {
  readonly gateway: Gateway;
  /** Of the project. */
  readonly folder: string;
  readonly sqlUrl: string;
  readonly logger: RecordingLogger;
  /** Sends a statement as the body of a POST; with the key that sees every project. */
  readonly send: (sql: string, options?: SqlOptions) => Promise<Response>;
  /** As {@link send}. @returns the text of a response with status 200 */
  readonly rows: (sql: string, options?: SqlOptions) => Promise<string>;
}

export interface SqlOptions {
  readonly key?: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a gateway serves, other than the test's project over the demo data. */
export interface SqlProject {
  readonly connect?: () => Promise<ClickHouseConnection>;
  readonly endpoints?: SqlEndpoints;
  /** Rights of keys `qg_NAME`, by name. */
  readonly keys?: Readonly<Record<string, object>>;
  readonly clock?: Clock;
  /** Whether the user of the connection reads the versions of tables too. */
  readonly readsVersions?: boolean;
}

/** Opens one gateway for all tests of a file. @returns a function that returns it while tests run */
export function sharedSqlGateway(
  variables: Readonly<Record<string, string>> = {},
  project: SqlProject = {},
): () => SqlGateway {
  let opened: SqlGateway | undefined;
  let finish: (() => void) | undefined;
  let closed: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      closed = withSqlGateway(variables, project, (gateway) => {
        opened = gateway;
        resolve();
        return new Promise((finished) => (finish = finished));
      });
      closed.catch(reject);
    });
  }, 60_000);
  afterAll(async () => {
    finish?.();
    await closed;
  }, 60_000);
  return () => {
    if (!opened) throw new Error('the gateway is not open');
    return opened;
  };
}

/** Opens a gateway for one test. */
export async function withSqlGateway(
  variables: Readonly<Record<string, string>>,
  project: SqlProject,
  use: (gateway: SqlGateway) => Promise<void>,
): Promise<void> {
  const connection = await (project.connect?.() ?? demoDatabase().then((demo) => demo.connection));
  await withTemporaryFolder(async (folder) => {
    const logger = new RecordingLogger();
    await writeProject(folder, project);
    const gateway = await openGateway(
      readConfig({
        ...{ PORT: '0', SQL_PORT: '0', PROJECT_DIR: folder, API_KEYS_FILE: 'keys.json' },
        ...variablesOf(connection),
        ...(project.readsVersions && {
          CLICKHOUSE_VERSIONS_USER: connection.username,
          CLICKHOUSE_VERSIONS_PASSWORD: connection.password,
        }),
        ...variables,
      }),
      { logger, clock: project.clock ?? (() => new Date()) },
    );
    const { sqlUrl = '' } = gateway;
    const send: SqlGateway['send'] = (sql, { key = SQL_KEYS.all, search = {}, headers = {} } = {}) =>
      fetch(`${sqlUrl}/?${new URLSearchParams(search).toString()}`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`, ...headers },
        body: sql,
      });
    const rows: SqlGateway['rows'] = async (sql, options) => {
      const response = await send(sql, options);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
      return text;
    };
    try {
      await use({ gateway, folder, sqlUrl, logger, send, rows });
    } finally {
      await gateway.close();
    }
  });
}

const KEYS: Readonly<Record<string, object>> = {
  'sql-all': {},
  'sql-tenant': { fixed: { project: 'aurora' } },
  'sql-limited': { limits: { requests: { quota: 1, window: 60 } } },
};

const cached = (lines: readonly string[]): readonly string[] =>
  lines.some((line) => line.startsWith('caching:')) ? lines : [...lines, 'caching: disabled'];

async function writeProject(
  folder: string,
  { endpoints = SQL_ENDPOINTS, keys = KEYS }: SqlProject,
): Promise<void> {
  await mkdir(path.join(folder, 'endpoints'));
  for (const [index, [name, [lines, select]]] of Object.entries(endpoints).entries())
    await writeFile(
      path.join(folder, 'endpoints', `${name}.sql`),
      header(name, index, cached(lines)) + select,
    );
  const written = Object.entries(keys).map(([name, rights]) => ({
    ...{ name, sha256: [hashApiKey(`qg_${name}`)] },
    ...rights,
  }));
  await writeFile(path.join(folder, 'keys.json'), JSON.stringify({ keys: written }));
}
