import { REQUESTS_ENDPOINT } from '../observability/requests-endpoint.js';
import type { Gateway } from './compose.js';

/** The text for a person at the terminal: the gateway's URL, and a command to paste for each endpoint. */
export function welcome(gateway: Gateway): string {
  const key = gateway.generatedKey ?? '$API_KEY';
  const quote = gateway.generatedKey === undefined ? '"' : "'";
  // The request log is still empty.
  const suggested = gateway.endpoints.without(REQUESTS_ENDPOINT.name).all();
  const calls = suggested.map(({ name, example }) => {
    const query = new URLSearchParams(example).toString();
    return `  curl -s -H ${quote}X-API-KEY: ${key}${quote} '${gateway.url}/api/endpoints/query/${name}?${query}'`;
  });
  const note =
    gateway.generatedKey === undefined
      ? ''
      : '\nThis key is valid until the gateway stops; set API_KEY or API_KEYS_FILE for permanent keys.\n';
  const warning = gateway.hasClickHouse
    ? ''
    : '\nClickHouse does not respond: until it does, every query returns 503. Does it run, and is CLICKHOUSE_URL correct?\n';
  return `\nQuerygate is ready on ${gateway.url}. Open it in a browser, or run a query:\n\n${calls.join('\n')}\n${note}${warning}\n`;
}
