import { request } from 'node:http';

import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway();

describe('a failure after the first bytes', () => {
  test.each(
    ['TabSeparated', 'JSON', 'Native', 'RowBinary'].flatMap((format) => [
      [format, '0'],
      [format, '1'],
    ]),
  )('ends the response without its last chunk (%s, compress=%s)', async (format, compress) => {
    const { sqlUrl, logger } = opened();
    const { status, isWhole, text } = await exchange(
      `${sqlUrl}/?compress=${compress}&default_format=${format}`,
      'SELECT number, number AS again, intDiv(1, number - 800000) AS one FROM numbers(900000)',
    );
    expect([status, isWhole]).toEqual([200, false]);
    expect(text.slice(-2000)).toMatch(
      /Code: 153\. DB::Exception: The statement divides by zero\. \(ILLEGAL_DIVISION\)/,
    );
    expect(text).not.toMatch(/while executing|FUNCTION/);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

/** Sends a statement, and reads every byte of the response. `fetch` drops those before the end of a connection. */
function exchange(
  url: string,
  sql: string,
): Promise<{ readonly status: number | undefined; readonly isWhole: boolean; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${SQL_KEYS.all}` };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      const received: Buffer[] = [];
      response.on('data', (chunk: Buffer) => received.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        const text = Buffer.concat(received).toString('latin1');
        resolve({ status: response.statusCode, isWhole: response.complete, text });
      });
    });
    sent.on('error', reject);
    sent.end(sql);
  });
}
