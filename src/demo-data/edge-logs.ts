import { RECORD_ID } from './draws.js';
import { bare, jsonText } from './json-text.js';
import { requestsTo } from './requests.js';
import { ROUTES } from './routes.js';
import { traffic } from './traffic.js';

const METADATA = jsonText({
  request: {
    method: 'method',
    url: 'url',
    path: 'path',
    search: 'search',
    headers: { user_agent: 'user_agent', cf_connecting_ip: 'ip', x_client_info: "'example-js/2.4.1'" },
  },
  response: {
    status_code: bare('status_code'),
    content_length: bare('content_length'),
    origin_time: bare('origin_time'),
  },
});

/** SQL that fills the edge request logs: all APIs of a project, in the proportions of their routes. */
export const FILL_EDGE_LOGS = `
INSERT INTO edge_logs
  (id, project, timestamp, event_message, metadata, method, url, path, status_code)
SELECT
  ${RECORD_ID},
  project,
  timestamp,
  concat(method, ' | ', toString(status_code), ' | ', ip, ' | ', url, ' | ', user_agent),
  ${METADATA},
  method, url, path, status_code
FROM ${requestsTo(Object.values(ROUTES).flat(), traffic('edge_logs', { recent: 180_000, older: 4000 }))}`;
