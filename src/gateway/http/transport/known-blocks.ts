import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** The header block of a request (all lines after the request line), as Node's parser read it. */
export type ParsedBlock = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Approximate bytes of all blocks together. */
const MAX_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 2000;

/** The end of a request line. */
export const VERSION = ' HTTP/1.1\r\n';
/** Header lines in a form in which Node's parser takes each as a name, a colon, a space and a value. */
const LINES = /^(?:[\w!#$%&'*+.^`|~-]+: [\x21-\x7e]+(?: [\x21-\x7e]+)*\r\n)+\r\n$/;
/** Headers that affect the connection: the end of the request, how it is sent, or what follows it. */
const OF_CONNECTION =
  /^(?:connection|content-length|expect|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;
/** Headers that proxies set anew for each request. Their values do not affect how the request is read. */
const OWN_LINE =
  /\r\n(x-request-id|traceparent|x-forwarded-for): ([\x21-\x7e]+(?: [\x21-\x7e]+)*)(?=\r\n(?![ \t]))/gi;

/**
 * The header blocks of authenticated requests that Node's parser has read, and its result for each: it reads a block with equal
 * bytes in the same way. Only the values of {@link OWN_LINE} may differ.
 */
export class KnownBlocks {
  private readonly blocks = new LRUCache<string, ParsedBlock>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_block, text) => ENTRY_BYTES + 4 * text.length,
  });
  private hasOwnLines = false;

  /** @param text text from {@link VERSION} to the end of the block */
  find(text: string): ParsedBlock | undefined {
    const same = this.blocks.get(text);
    if (same || !this.hasOwnLines) return same;
    const own = ownLinesOf(text);
    const known = own && this.blocks.get(own.key);
    return known && withOwnLines(known, own.values);
  }

  learn(text: string, block: ParsedBlock): void {
    const own = ownLinesOf(text);
    if (!own) return;
    const { headers, rawHeaders } = block;
    this.hasOwnLines ||= own.values.size > 0;
    this.blocks.set(own.key, { headers, rawHeaders });
  }
}

/**
 * Whether a text is one complete request, which a parser can read in one way only, and which Node's parser has read in that way. Then
 * the parser was between two requests before this one, and is again.
 *
 * @param request the request that the parser has read from the text.
 */
export function isExactly(
  text: string,
  request: IncomingMessage & { readonly originalUrl?: string },
): boolean {
  const { method, httpVersion, rawHeaders, complete } = request;
  // `url` is not the original one, because Express changes it for a router.
  const { originalUrl = request.url } = request;
  if (method !== 'GET' || originalUrl === undefined || httpVersion !== '1.1' || !complete) return false;
  const line = `GET ${originalUrl}${VERSION}`;
  return LINES.test(text.slice(line.length)) && text === `${line}${plainLinesOf(rawHeaders) ?? ''}\r\n`;
}

/** The lines of headers; undefined where a header affects the connection. */
function plainLinesOf(rawHeaders: readonly string[]): string | undefined {
  let lines = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    // Most clients send this header, and it changes nothing.
    const isKept = name.toLowerCase() === 'connection' && value.toLowerCase() === 'keep-alive';
    if (OF_CONNECTION.test(name) && !isKept) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The lines of a block that may differ between requests. */
interface OwnLines {
  /** The names of these lines and the block without their values; without such lines, the block. */
  readonly key: string;
  /** Values by name in lower case. */
  readonly values: ReadonlyMap<string, string>;
}

/** The lines that may differ; undefined where a name occurs twice. */
function ownLinesOf(text: string): OwnLines | undefined {
  const values = new Map<string, string>();
  let lines = 0;
  const rest = text.replace(OWN_LINE, (_line, name: string, value: string) => {
    lines += 1;
    values.set(name.toLowerCase(), value);
    return `\r\n${name}: `;
  });
  return values.size === lines ? { key: [...values.keys()].join() + rest, values } : undefined;
}

function withOwnLines(block: ParsedBlock, values: OwnLines['values']): ParsedBlock {
  const headers = { ...block.headers };
  for (const [name, value] of values) headers[name] = value;
  const rawHeaders = block.rawHeaders.map((text, at) =>
    at % 2 === 0 ? text : (values.get(block.rawHeaders[at - 1]?.toLowerCase() ?? '') ?? text),
  );
  return { headers, rawHeaders };
}
