import { RECORD_ID } from './draws.js';
import { bare, jsonText } from './json-text.js';
import { requestsTo } from './requests.js';
import { ROUTES } from './routes.js';
import { traffic } from './traffic.js';

const METADATA = jsonText({
  level: 'level',
  request: {
    method: 'method',
    url: 'url',
    path: 'own_path',
    headers: { user_agent: 'user_agent', cf_connecting_ip: 'ip' },
  },
  response: { status_code: bare('status_code'), content_length: bare('content_length') },
  duration_ms: bare('origin_time'),
});

interface ApiLog {
  readonly table: string;
  readonly api: keyof typeof ROUTES;
  /** SQL for the log line. */
  readonly message: string;
  /** Names and SQL of columns that this table alone has. */
  readonly ownColumns?: Readonly<Record<string, string>>;
  /** Moments looked at. */
  readonly recent: number;
}

/** An API knows its paths without the prefix that the edge routes by. */
const fillApiLog = ({ table, api, message, ownColumns = {}, recent }: ApiLog): string => `
INSERT INTO ${table}
  (${['id', 'project', 'timestamp', 'event_message', 'metadata', 'level', ...Object.keys(ownColumns)].join(', ')})
WITH
  substring(path, ${`/${api}/v1`.length + 1}) AS own_path,
  multiIf(status_code >= 500, 'error', status_code >= 400, 'warning', 'info') AS level
SELECT
  ${[RECORD_ID, 'project', 'timestamp', message, METADATA, 'level', ...Object.values(ownColumns)].join(',\n  ')}
FROM ${requestsTo(ROUTES[api], traffic(table, { recent }))}`;

/** SQL that fills the authentication logs. */
export const FILL_AUTH_LOGS = fillApiLog({
  table: 'auth_logs',
  api: 'auth',
  message: `concat(own_path, ' | request completed | ', toString(status_code), ' | ', toString(origin_time), 'ms')`,
  ownColumns: { path: 'own_path', status_code: 'status_code' },
  recent: 18_000,
});

/** SQL that fills the storage logs. */
export const FILL_STORAGE_LOGS = fillApiLog({
  table: 'storage_logs',
  api: 'storage',
  message: `concat(method, ' | ', toString(status_code), ' | ', ip, ' | ', own_path, ' | ', user_agent)`,
  recent: 18_000,
});

/** SQL that fills the REST API logs, whose lines are those of a web server's access log. */
export const FILL_REST_LOGS = fillApiLog({
  table: 'rest_logs',
  api: 'rest',
  message: `
    concat(
      ip, ' - web_anon [', formatDateTime(timestamp, '%d/%b/%Y:%H:%i:%S +0000'), '] "',
      method, ' ', own_path, search, ' HTTP/1.1" ', toString(status_code), ' ', toString(content_length),
      ' "" "', user_agent, '"')`,
  recent: 30_000,
});
