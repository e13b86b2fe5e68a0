/** Idle HTTP parsers that Node may pool. */
const MAX_PARSERS = 64;

/** The pool in `_http_common`, which all servers of a process share. */
interface ParserPool {
  max: number;
}

/**
 * Reduces Node's pool of HTTP parsers, which holds 1,000 by default. A pooled parser retains the last URL and headers that
 * it read, so 1,000 unfinished requests of 512 KiB would occupy 512 MB until the parsers are used again. Node has no
 * setting for this; where a Node version lacks the internal pool, nothing happens.
 */
export function boundParserPool(): void {
  const common: { readonly parsers?: Partial<ParserPool> } | undefined =
    process.getBuiltinModule('_http_common');
  const pool = common?.parsers;
  if (typeof pool?.max === 'number') pool.max = Math.min(pool.max, MAX_PARSERS);
}
