import autocannon from 'autocannon';

/** How a server took a steady load. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers that were no 2xx, and connections that failed. */
  readonly failures: number;
}

const CONNECTIONS = 64;

/** Loads a server from 64 connections, each asking again as soon as it is answered; the first second does not count. */
export async function loadServer(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Throughput> {
  const options = requestsOf(urls, headers);
  await autocannon({ ...options, connections: CONNECTIONS, duration: 1 });
  const { requests, latency, non2xx, errors } = await autocannon({
    ...options,
    connections: CONNECTIONS,
    duration: seconds,
  });
  return {
    requestsPerSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    failures: non2xx + errors,
  };
}

function requestsOf(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
): Pick<autocannon.Options, 'url' | 'headers' | 'requests'> {
  const first = new URL(urls[0] ?? '');
  const paths = urls.map((url) => {
    const { pathname, search } = new URL(url);
    return { method: 'GET' as const, path: pathname + search };
  });
  return { url: first.origin, headers: { ...headers }, requests: paths };
}
