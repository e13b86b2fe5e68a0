import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { ListeningGateway, open, type Received, type ReceiveOptions } from './listening-gateway.js';

/** The rows that an export may have in the tests. */
export const MOST_ROWS = 400_000;

const HEADER = `
parameters:
  n: { kind: integer, required: true, minimum: 0, description: Number of rows. }
  failing: { kind: integer, default: '-1', description: The number of a row that fails. }
  seconds_each: { kind: decimal, default: '0', description: Seconds that a block of rows takes. }
maxRows: 100
example: { n: 3 }`;
const ROWS = `FROM numbers(toUInt64(@n))
WHERE throwIf(toInt64(number) = @failing) = 0 AND sleepEachRow(toFloat64(@seconds_each)) = 0`;

/** The project: rows of awkward values, an export that may last a second, one of few rows, and none. */
const FILES: Readonly<Record<string, string>> = {
  rows: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0101
summary: Rows with awkward values.${HEADER}
caching: 60
columns:
  n: UInt64
  "odd 'na,me": String
  maybe: Nullable(String)
  at: DateTime64(3, 'UTC')
  share: Float64
  names: Array(String)
  data: { type: String, json: true }
exports: { maxRows: ${MOST_ROWS}, maxSeconds: 60 }
*/
SELECT number AS n,
  concat('=sum("', toString(number), '")', char(10, 13, 9, 0xC2, 0x85, 0xE2, 0x80, 0xA8, 0xFF, 0xC3)) AS \`odd 'na,me\`,
  if(number % 3 = 0, NULL, if(number % 3 = 1, '', '＝1')) AS maybe,
  toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number AS at,
  if(number % 2 = 0, nan, number / 3) AS share,
  ['a"b', toString(number)] AS names,
  '{"key": "line\\\\nfeed"}' AS data
${ROWS}
`,
  brief: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0102
summary: Exports that may last a second.${HEADER}
caching: disabled
columns: { n: UInt64, text: String }
exports: { maxRows: ${MOST_ROWS}, maxSeconds: 1 }
*/
SELECT number AS n, repeat('x', 1000) AS text ${ROWS}
`,
  metrics: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0109
summary: Metrics.${HEADER}
columns: { name: String, value: UInt64 }
exports: { maxRows: 10, maxSeconds: 60 }
*/
SELECT 'up' AS name, number AS value ${ROWS}
`,
  few: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0103
summary: Exports of few rows.${HEADER}
columns: { n: UInt64 }
sandboxing: enabled
exports: { maxRows: 10, maxSeconds: 60 }
*/
SELECT number AS n ${ROWS}
`,
  limited: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0105
summary: Exports beside a limit of its own.${HEADER}
columns: { n: UInt64 }
limit: 5
exports: { maxRows: 10, maxSeconds: 60 }
*/
SELECT number AS n ${ROWS}
`,
  none: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0104
summary: No exports.${HEADER}
columns: { n: UInt64 }
*/
SELECT number AS n ${ROWS}
`,
};

/** The keys: one that may export, one that may not, one that may and has a limit of rows. */
export const KEYS = { exporter: 'qg_exporter', reader: 'qg_reader', limited: 'qg_limited' } as const;

/** A gateway whose endpoints have exports, on the shared ClickHouse. */
export class ExportingGateway extends ListeningGateway {
  static async open(
    environment: Readonly<Record<string, string>> = {},
    clock = (): Date => new Date(),
  ): Promise<ExportingGateway> {
    const opened = await open({
      endpoints: FILES,
      keys: keysWith({}),
      environment: { LINK_SECRET: 'a secret for links in tests, long enough', ...environment },
      clock,
    });
    return new ExportingGateway(opened);
  }

  override receive(call: string, options: ReceiveOptions = {}): Promise<Received> {
    return super.receive(call, { key: KEYS.exporter, ...options });
  }

  /** Changes the key `exporter` in the keys file. */
  changeExporter(changes: object): Promise<string> {
    return this.writeKeys(keysWith(changes));
  }

  /** Exports with curl. @param onFirstBytes called before the others are read. @returns its exit code: 56 for a reset, 18 for another end */
  async exitCodeOfCurl(call: string, onFirstBytes?: () => Promise<unknown>): Promise<unknown> {
    const url = `${this.gateway.url}/api/endpoints/query/${call}`;
    const curl = spawn('curl', ['-s', '-H', `X-API-KEY: ${KEYS.exporter}`, url]);
    const exited = once(curl, 'exit');
    await once(curl.stdout, 'readable');
    await onFirstBytes?.();
    curl.stdout.resume();
    const [code] = (await exited) as readonly unknown[];
    return code;
  }
}

const keysWith = (exporter: object): Readonly<Record<string, object>> => ({
  [KEYS.exporter]: { mayExport: true, mayBypassCache: true, mayLink: true, ...exporter },
  [KEYS.reader]: {},
  [KEYS.limited]: { mayExport: true, limits: { rowsRead: { quota: 1000, window: 60 } } },
});
