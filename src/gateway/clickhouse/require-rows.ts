import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { constants, gunzipSync } from 'node:zlib';

import { brokenResponse } from '../formats/broken-response.js';
import { errorOfResponse, EXCEPTION_HEADER } from './error-of-response.js';
import { summaryOf, type QueryMeter, type ReportedSummary } from './query-meter.js';

/**
 * Requires a response with rows, and returns the summary in its head.
 *
 * @param decode decodes the body of an error
 * @throws ClickHouseError or Failure where ClickHouse responds with anything other than rows
 */
export async function requireRows(
  response: IncomingMessage,
  meter: QueryMeter,
  decode: (body: Buffer) => Buffer = (body) => body,
): Promise<ReportedSummary> {
  const { statusCode, headers } = response;
  const summary = summaryOf(headers);
  if (statusCode !== 200 || headers[EXCEPTION_HEADER] !== undefined) {
    if (summary) meter.end(summary.cost);
    const body = await buffer(response);
    const text = decode(headers['content-encoding'] === 'gzip' ? unzipped(body) : body);
    throw errorOfResponse(statusCode, headers, text.toString());
  }
  if (summary) return summary;
  response.destroy();
  throw brokenResponse('no X-ClickHouse-Summary header: is this a ClickHouse server?');
}

/** What can be read of a body in gzip. A proxy may send an empty one, a truncated one, or one that is not gzip. */
function unzipped(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return body;
  }
}
