import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

import { CODES, StatementProblem } from '../../tables/statement.js';
import { MAX_BODY_BYTES, readBytes } from '../call/json-body.js';

/** A request of ClickHouse's HTTP protocol. */
export interface SqlRequest {
  /** Text of the statement; empty where the request has none. */
  readonly sql: string;
  /** Values of `param_NAME` by name, in ClickHouse's escaped form. */
  readonly values: ReadonlyMap<string, string>;
  /** All other members of the query string and of a form, by name. */
  readonly options: ReadonlyMap<string, string>;
}

/** The credentials of a request, wherever clients put them. */
export interface SqlCredentials {
  readonly key: string | undefined;
  /** Name of the user. Any name is accepted, because ClickHouse's clients require one. */
  readonly user: string;
}

/** The options in a request's query string. The target is never logged, because it can have a password. */
export function optionsOf({ url = '/' }: Pick<IncomingMessage, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

/** The key: `Authorization: Basic` or `Bearer`, `X-ClickHouse-Key`, `X-API-KEY`, or `password` in the query string. */
export function sqlCredentials({ headers }: IncomingMessage, options: URLSearchParams): SqlCredentials {
  const [, scheme = '', presented = ''] =
    /^(Basic|Bearer) +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'basic') {
    const decoded = Buffer.from(presented, 'base64').toString();
    const colon = decoded.indexOf(':');
    return { user: decoded.slice(0, Math.max(0, colon)), key: textOr(decoded.slice(colon + 1)) };
  }
  const key = textOr(presented) ?? textOr(headers['x-clickhouse-key']) ?? textOr(headers['x-api-key']);
  const user = textOr(headers['x-clickhouse-user']) ?? options.get('user') ?? '';
  return { user, key: key ?? textOr(options.get('password')) };
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads a request with its body. @throws StatementProblem or Failure */
export async function readSqlRequest(request: IncomingMessage, search: URLSearchParams): Promise<SqlRequest> {
  const body = await decoded(await readBytes(request), request.headers['content-encoding']);
  const type = request.headers['content-type'] ?? '';
  const form = type.startsWith('multipart/form-data') ? await readForm(body, type) : [];
  const all = new Map([...search, ...form]);
  const inBody = form.length > 0 ? '' : body.toString();
  const sql = [all.get('query') ?? '', inBody].filter((text) => text !== '').join('\n');
  if (Buffer.byteLength(sql) > MAX_BODY_BYTES) throw tooLarge();
  const values = new Map<string, string>();
  const options = new Map<string, string>();
  for (const [name, value] of all) {
    if (name.startsWith('param_')) values.set(name.slice('param_'.length), value);
    else if (name !== 'query') options.set(name, value);
  }
  return { sql, values, options };
}

const DECODERS = {
  gzip: promisify<Buffer, object, Buffer>(gunzip),
  deflate: promisify<Buffer, object, Buffer>(inflate),
  br: promisify<Buffer, object, Buffer>(brotliDecompress),
};

async function decoded(body: Buffer, encoding = 'identity'): Promise<Buffer> {
  if (encoding === 'identity' || body.length === 0) return body;
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw new StatementProblem(
      CODES.UNKNOWN_COMPRESSION_METHOD,
      'The body has a Content-Encoding that the gateway cannot read. Send it with gzip, deflate or br, or without.',
    );
  }
  try {
    return await DECODERS[encoding as keyof typeof DECODERS](body, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new StatementProblem(CODES.INCORRECT_DATA, `The body is not valid ${encoding}.`);
  }
}

async function readForm(body: Buffer, type: string): Promise<readonly (readonly [string, string])[]> {
  // The deprecation does not apply: the body is short and in memory.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new StatementProblem(CODES.BAD_ARGUMENTS, 'The body is not valid multipart/form-data.');
  });
  return [...form].map(([name, value]) => {
    if (typeof value !== 'string' || /_(?:structure|types|format)$/.test(name)) {
      throw new StatementProblem(
        CODES.NOT_IMPLEMENTED,
        'External tables are not available here. Join endpoints instead.',
      );
    }
    return [name, value];
  });
}

const tooLarge = (): StatementProblem =>
  new StatementProblem(
    CODES.QUERY_IS_TOO_LARGE,
    `The statement has more than ${MAX_BODY_BYTES / 1024} KiB. Send a shorter one, or its values as parameters.`,
  );
