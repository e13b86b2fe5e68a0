import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

import { cutLines } from '../../../gateway/formats/cut-lines.js';
import type { FormatName } from '../../../gateway/formats/formats.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from '../../../gateway/formats/template-format.js';
import { CommandError, EXIT } from '../exit-codes.js';

/** How the bodies of pages become one body. */
interface Joining {
  /** The texts before and after the rows of every page. */
  readonly around: (page: Buffer) => readonly [start: Buffer, end: Buffer];
  readonly separator: string;
}

const NOTHING = Buffer.alloc(0);

/** The header alone is a text that is cut to no row. */
const lines = (hasQuotes: boolean): Joining => ({
  around: (page) => [cutLines(page, 0, hasQuotes).body, NOTHING],
  separator: '',
});

/** The formats whose pages can be joined. */
const JOINING = {
  json: { around: () => [Buffer.from(RESULT_START), Buffer.from(RESULT_END)], separator: ROW_SEPARATOR },
  ndjson: { around: () => [NOTHING, NOTHING], separator: '' },
  csv: lines(true),
  tsv: lines(false),
} as const satisfies Readonly<Partial<Record<FormatName, Joining>>>;

/** A format whose pages can be joined. */
export type JoinedFormat = keyof typeof JOINING;

export const JOINED_FORMATS = Object.keys(JOINING) as readonly JoinedFormat[];

/** Requests the first page, or the one with a cursor. @throws CommandError where the response has no rows */
export type RequestPage = (cursor?: string) => Promise<Response>;

/**
 * All pages of a call as one response. Its body fails where a page is incomplete.
 *
 * @param first the first page
 */
export function joinPages(first: Response, format: JoinedFormat, requestPage: RequestPage): Response {
  const pages = Readable.from(joined(first, requestPage, JOINING[format]), { objectMode: false });
  return new Response(Readable.toWeb(pages) as ReadableStream<Uint8Array<ArrayBuffer>>);
}

async function* joined(
  first: Response,
  requestPage: RequestPage,
  { around, separator }: Joining,
): AsyncGenerator<Buffer> {
  let start: Buffer | undefined;
  let end: Buffer = NOTHING;
  let hasRows = false;
  for (let page: Response | undefined = first; page;) {
    requireWholePage(page);
    const body = Buffer.from(await page.arrayBuffer());
    if (!start) {
      [start, end] = around(body);
      yield start;
    }
    requireSameAround(body, start, end);
    const rows = body.subarray(start.length, body.length - end.length);
    if (hasRows && rows.length > 0 && separator !== '') yield Buffer.from(separator);
    hasRows ||= rows.length > 0;
    yield rows;
    const cursor = page.headers.get('x-next-cursor');
    if (cursor === null) requireLastPage(page);
    page = cursor === null ? undefined : await requestPage(cursor);
  }
  yield end;
}

function requireSameAround(body: Buffer, start: Buffer, end: Buffer): void {
  const isSame =
    body.subarray(0, start.length).equals(start) && body.subarray(body.length - end.length).equals(end);
  if (!isSame)
    throw new CommandError('The pages of the gateway have different columns. Call again.', EXIT.gateway);
}

/** Rows of a lost shard are in no page. */
function requireWholePage({ headers }: Response): void {
  if (headers.get('x-partial') !== 'true') return;
  throw new CommandError(
    'Rows are missing, because a part of ClickHouse is unreachable. Call again later.',
    EXIT.gateway,
  );
}

/** A page that is cut has more rows after it, which nothing names. */
function requireLastPage({ headers }: Response): void {
  if (headers.get('x-truncated') !== 'true') return;
  throw new CommandError(
    'The result has more rows, but the endpoint has no pages. Use --export where it has exports, or narrow the call.',
    EXIT.rejected,
  );
}
