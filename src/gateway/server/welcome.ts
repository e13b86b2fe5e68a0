import type { Endpoint } from '../../endpoint/endpoint.js';
import { isOwnEndpoint } from '../observability/own-endpoints.js';
import type { Gateway } from './compose.js';

/** Maximum number of commands: more would scroll the URL out of the terminal. */
const MAX_CALLS = 10;

/** The line with the URL of the console, and the key where one was generated for this run. */
export function consoleLine({ url, generatedKey }: Pick<Gateway, 'url' | 'generatedKey'>): string {
  const fragment = generatedKey === undefined ? '' : `#key=${encodeURIComponent(generatedKey)}`;
  return `Open ${url}/${fragment} to run the endpoints in a browser.\n`;
}

/** The text at the start on a terminal: the gateway's URL, and a command for each endpoint. */
export function welcome(gateway: Omit<Gateway, 'close' | 'reload' | 'purge'>): string {
  const key = gateway.generatedKey ?? '$API_KEY';
  const quote = gateway.generatedKey === undefined ? '"' : "'";
  // The gateway's own endpoints are omitted, because the request log is still empty.
  const suggested = gateway.endpoints.all().filter(({ name }) => !isOwnEndpoint(name));
  const calls = suggested.slice(0, MAX_CALLS).map(({ name, example }) => {
    const query = new URLSearchParams(example).toString();
    const target = `/api/endpoints/query/${name}${query === '' ? '' : `?${query}`}`;
    return `  curl -s -H ${quote}X-API-KEY: ${key}${quote} '${gateway.url}${target}'`;
  });
  const others = suggested.length - calls.length;
  if (others > 0) calls.push(`  … and ${others} more endpoints: see ${gateway.url}`);
  const note =
    gateway.generatedKey === undefined
      ? '\n$API_KEY stands for one of your keys: set it in the shell that runs a command.\n'
      : '\nThis key is valid until the gateway stops; set API_KEY or API_KEYS_FILE for permanent keys.\n';
  const { sqlUrl } = gateway;
  const isTable = ({ settings }: Endpoint): boolean => settings.tables === true;
  const none = suggested.some(isTable) ? '' : ' No endpoint has tables: true yet.';
  const tables =
    sqlUrl === undefined
      ? ''
      : `\nTables for BI tools are on ${sqlUrl}: driver ClickHouse over HTTP, any user, a key as password, database querygate.${none}\n`;
  const warning = gateway.hasClickHouse
    ? ''
    : '\nClickHouse does not respond: until it does, every query returns 503. Does it run, and is CLICKHOUSE_URL correct?\n';
  return `\nQuerygate is ready on ${gateway.url}. Open it in a browser, or run a query:\n\n${calls.join('\n')}\n${note}${tables}${warning}\n`;
}
