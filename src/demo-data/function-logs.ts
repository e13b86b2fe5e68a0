import { draw, drawHex, drawLogNormal, drawOne, RECORD_ID } from './draws.js';
import { bare, jsonText } from './json-text.js';
import { fillLineLog } from './line-logs.js';
import { DRAW_FUNCTION, ofFunction, ofProject } from './projects.js';
import { traffic } from './traffic.js';
import { VISITOR } from './visitors.js';

const COLD_START_SHARE = 0.03;

const FUNCTION = `
  ${DRAW_FUNCTION} AS function_position,
  ${ofFunction(({ name }) => name)} AS function_id,
  ${drawHex('execution')} AS execution_id,
  ${ofProject(({ region }) => region)} AS region`;

const RELAY_METADATA = jsonText({
  function_id: 'function_id',
  execution_id: 'execution_id',
  deployment_id: "concat(project, '_', function_id, '_12')",
  region: 'region',
  cold_start: bare("if(cold, 'true', 'false')"),
  execution_time_ms: bare('execution_time_ms'),
  request: {
    method: 'method',
    url: 'url',
    path: 'path',
    headers: { user_agent: 'user_agent', cf_connecting_ip: 'ip' },
  },
  response: { status_code: bare('status_code') },
});

/**
 * SQL that fills the function relay logs. An invocation that crashed has no status; where its function never came up, it
 * has no duration either.
 */
export const FILL_FUNCTION_RELAY_LOGS = `
INSERT INTO function_relay_logs
  (id, project, timestamp, event_message, metadata, function_id, method, url, status_code, execution_time_ms)
WITH ${FUNCTION}, ${VISITOR},
  ${ofFunction(({ method }) => method)} AS method,
  concat('/functions/v1/', function_id) AS path,
  concat('https://', project, '.example.co', path) AS url,
  ${draw('mishap')} AS mishap,
  ${draw('crash')} AS crash,
  if(failing, 0.2, 0.004) AS crash_share,
  ${draw('cold start')} < ${COLD_START_SHARE} AS cold,
  ${drawLogNormal(
    ofFunction(({ medianMs }) => medianMs),
    ofFunction(({ sigma }) => sigma),
    'duration',
  )} AS warm_ms,
  if(cold, ${drawLogNormal('380', '0.3', 'cold start')}, 0) AS boot_ms,
  multiIf(
    crash < crash_share, NULL,
    failing, ${drawOne([500, 500, 502, 504], 'failure')},
    mishap < 0.004, 500,
    mishap < 0.014, 400,
    mishap < 0.018, 401,
    200) AS status_code,
  if(crash < crash_share / 2, NULL, round(boot_ms + warm_ms * if(failing, 5, 1), 2)) AS execution_time_ms
SELECT
  ${RECORD_ID},
  project,
  timestamp,
  concat(method, ' | ', ifNull(toString(status_code), 'null'), ' | ', url),
  ${RELAY_METADATA},
  function_id, method, url, status_code, execution_time_ms
FROM ${traffic('function_relay_logs', { recent: 210_000 })}`;

/** SQL that fills the function event logs. */
export const FILL_FUNCTION_EVENT_LOGS = fillLineLog({
  table: 'function_event_logs',
  usual: [
    { share: 8, level: 'log', message: 'booted (time: :msms)' },
    { share: 6, level: 'log', message: 'shutdown' },
    { share: 40, level: 'info', message: 'request handled in :ms ms' },
    { share: 30, level: 'info', message: 'item :id done' },
    { share: 10, level: 'debug', message: 'cache miss for item :id' },
    { share: 4, level: 'warning', message: 'upstream slow (:ms ms), attempt 2 of 3' },
    { share: 2, level: 'error', message: "TypeError: Cannot read properties of undefined (reading 'id')" },
  ],
  failing: [
    { share: 5, level: 'error', message: 'Error: connect ECONNREFUSED 10.0.4.12:5432' },
    { share: 3, level: 'error', message: 'Error: upstream answered 503 for item :id' },
    { share: 2, level: 'warning', message: 'giving up after 3 attempts' },
  ],
  given: FUNCTION,
  metadata: { function_id: 'function_id', execution_id: 'execution_id', region: 'region' },
  ownColumns: ['function_id'],
  recent: 36_000,
});
