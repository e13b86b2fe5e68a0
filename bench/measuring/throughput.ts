import autocannon from 'autocannon';

/** A server's performance under a steady load. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Responses other than 2xx, and failed connections. */
  readonly failures: number;
}

export const CONNECTIONS = 64;

/** Loads a server from 64 connections, each with one request at a time; the first second does not count. */
export async function loadServer(
  url: string,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Throughput> {
  const options = { url, headers: { ...headers }, connections: CONNECTIONS };
  await autocannon({ ...options, duration: 1 });
  const { requests, latency, non2xx, errors } = await autocannon({ ...options, duration: seconds });
  return {
    requestsPerSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    failures: non2xx + errors,
  };
}
