import type { IncomingMessage, ServerResponse } from 'node:http';

import { compressor } from '../../query/encode-bodies.js';
import type { StatementHead, StatementRequest, StatementSink } from '../../query/ports.js';
import { toldError } from '../../tables/error-response.js';
import { chooseEncoding } from '../result/content-encoding.js';
import { ResponseBody } from '../result/send-export.js';
import type { ClientSettings } from './client-settings.js';
import type { SqlErrorOptions } from './sql-error.js';

const COMPRESSED_WHEN_SENT = { identity: Buffer.alloc(0), isEncodedWhenSent: true } as const;

/**
 * Where the rows of a statement go. Its headers come from a list: a client could name others in its settings.
 */
export function openSqlSink(
  request: IncomingMessage,
  response: ServerResponse,
  { isHttpCompressed }: ClientSettings,
  { words, version }: Pick<SqlErrorOptions, 'words' | 'version'>,
): StatementRequest['openSink'] {
  return (head): StatementSink => {
    const encoding = isHttpCompressed
      ? chooseEncoding(request.headers['accept-encoding'], COMPRESSED_WHEN_SENT)
      : 'identity';
    let hasFailed = false;
    response.writeHead(200, headersOf(head, encoding));
    const body = new ResponseBody(response, undefined, () => hasFailed);
    return {
      streams: encoding === 'identity' ? [body] : [compressor(encoding), body],
      textOf: (error) => {
        hasFailed = true;
        return toldError(error, words, version).text;
      },
    };
  };
}

function headersOf(
  { contentType, format, timezone, exceptionTag }: StatementHead,
  encoding: string,
): Record<string, string> {
  return {
    'Content-Type': contentType,
    'X-ClickHouse-Format': format,
    'X-ClickHouse-Timezone': timezone,
    Vary: 'Accept-Encoding',
    'X-ClickHouse-Exception-Tag': exceptionTag,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
  };
}
