/** Parsers that Node may keep for connections to come. */
const MAX_PARSERS = 64;

/** The pool of `_http_common`, which Node shares among all servers of a process. */
interface ParserPool {
  max: number;
}

/**
 * Makes Node keep fewer parsers of closed connections; 1,000 by default. A parser in the pool still has the last URL and headers
 * that it read, so that unfinished requests of 512 KiB would take 512 MB until others need as many parsers at a time. Node has
 * no setting for it; where this internal pool is another one day, it stays as it is.
 */
export function boundParserPool(): void {
  const common: { readonly parsers?: Partial<ParserPool> } | undefined =
    process.getBuiltinModule('_http_common');
  const pool = common?.parsers;
  if (typeof pool?.max === 'number') pool.max = Math.min(pool.max, MAX_PARSERS);
}
