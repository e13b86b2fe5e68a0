import { REQUESTS_ENDPOINT, type Gateway } from './compose.js';

/** What a person at the terminal is told: where the gateway is, and a request to paste for each endpoint. */
export function welcome(gateway: Gateway): string {
  const key = gateway.generatedKey ?? '$API_KEY';
  const quote = gateway.generatedKey === undefined ? '"' : "'";
  // Of what the gateway was asked there is nothing to see yet.
  const worthTrying = gateway.endpoints.without(REQUESTS_ENDPOINT).all();
  const calls = worthTrying.map(({ name, example }) => {
    const query = new URLSearchParams(example).toString();
    return `  curl -s -H ${quote}X-API-KEY: ${key}${quote} '${gateway.url}/api/endpoints/query/${name}?${query}'`;
  });
  const note =
    gateway.generatedKey === undefined
      ? ''
      : '\nThis key is good until the gateway stops; set API_KEY or API_KEYS_FILE for lasting ones.\n';
  const warning = gateway.hasClickHouse
    ? ''
    : '\nBut ClickHouse does not answer: until it does, every query is a 503. Is it up, and is CLICKHOUSE_URL right?\n';
  return `\nQuerygate is ready on ${gateway.url}. Open it in a browser, or ask it something:\n\n${calls.join('\n')}\n${note}${warning}\n`;
}
