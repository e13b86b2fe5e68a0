import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** The cost of a query, from ClickHouse's X-ClickHouse-Summary. */
export interface Cost {
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly memoryBytes: number;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a GET on a keep-alive connection, and reads the complete response.
 *
 * @returns the response headers.
 * @throws Error with the response if the status is not 200 or 304.
 */
export async function httpGet(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingHttpHeaders> {
  const [response] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200 && response.statusCode !== 304)
    throw new Error(`${response.statusCode}: ${body.slice(0, 300)}`);
  return response.headers;
}

/** Parses the query's cost from a response of ClickHouse with `wait_end_of_query`, which makes the summary final. */
export function costOf(headers: IncomingHttpHeaders): Cost {
  const summary = JSON.parse(String(headers['x-clickhouse-summary'])) as Record<string, string>;
  return {
    rowsRead: Number(summary['read_rows']),
    bytesRead: Number(summary['read_bytes']),
    memoryBytes: Number(summary['memory_usage']),
  };
}
