import type { IncomingMessage } from 'node:http';

/** Headers that are read item by item: some of them cost more than a millisecond per 8 KiB. */
const LISTS = [
  'accept',
  'accept-encoding',
  'cache-control',
  'if-match',
  'if-none-match',
  'prefer',
  'x-forwarded-for',
] as const;
/** Enough for a tag for each format and encoding of a URL, or for 90 proxies with IPv6 addresses. */
const MAX_LIST_BYTES = 4096;

/** Names the header that is longer than the gateway reads; undefined where none is. */
export function problemOfHeaders({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const long = LISTS.find((name) => (headers[name]?.length ?? 0) > MAX_LIST_BYTES);
  return long && `The header ${long} has more than ${MAX_LIST_BYTES} bytes. Send a shorter value.`;
}
