import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** What ClickHouse tells of a query, in its X-ClickHouse-Summary. */
export interface Cost {
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly memoryBytes: number;
}

export const agent = new Agent({ keepAlive: true });

/**
 * Asks with GET, and reads the whole answer.
 *
 * @throws Error with what was answered, where that is not 200.
 */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string | string[] | undefined>>> {
  const [response] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body.slice(0, 300)}`);
  return response.headers;
}

/** The cost of the query behind an answer of ClickHouse's. */
export function costOf(headers: Readonly<Record<string, string | string[] | undefined>>): Cost {
  const summary = JSON.parse(String(headers['x-clickhouse-summary'])) as Record<string, string>;
  return {
    rowsRead: Number(summary['read_rows']),
    bytesRead: Number(summary['read_bytes']),
    memoryBytes: Number(summary['memory_usage']),
  };
}
