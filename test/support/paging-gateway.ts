import { ListeningGateway, open, type Received, type ReceiveOptions } from './listening-gateway.js';
import { SettableClock } from './settable-clock.js';

const HEADER = `
parameters:
  n: { kind: integer, required: true, minimum: 0, description: Number of rows. }
maxRows: 10
example: { n: 3 }`;

/** The project; the numbers of rows in a page are 10. */
const FILES: Readonly<Record<string, string>> = {
  rows: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0201
summary: Rows with pages.
parameters:
  n: { kind: integer, required: true, minimum: 0, description: Number of rows. }
  tenant: { kind: string, default: '', description: Whose rows. }
  since: { kind: timestamp, default: now-1h, relativeStep: 1m, description: A relative time. }
columns: { n: UInt64, at: "DateTime64(6, 'UTC')", "odd 'na,me": Nullable(String), since: "DateTime64(6, 'UTC')", now: "DateTime64(6, 'UTC')" }
pages: { by: [at desc, "odd 'na,me nulls first", n] }
maxRows: 10
exports: { maxRows: 1000, maxSeconds: 10 }
sandboxing: enabled
example: { n: 3 }
*/
SELECT number AS n, toDateTime64('2026-01-01 00:00:00.5', 6, 'UTC') + number % 4 AS at,
  if(number % 3 = 0, NULL, concat(@tenant, '"\\n,', toString(number % 2))) AS \`odd 'na,me\`,
  @since AS since, @now AS now
FROM numbers(toUInt64(@n))
`,
  others: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0202
summary: Other rows with pages.${HEADER}
columns: { n: UInt64 }
pages: { by: [n] }
*/
SELECT number AS n FROM numbers(toUInt64(@n))
`,
  inside: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0203
summary: Takes the cursor itself.${HEADER}
columns: { n: UInt64 }
pages: { by: [n desc] }
exports: { maxRows: 1000, maxSeconds: 10 }
*/
SELECT n FROM (
  SELECT number AS n FROM numbers(toUInt64(@n)) WHERE true [[ AND @after ]] [[ AND number < @after_n ]] ORDER BY n DESC LIMIT 11
)
ORDER BY n DESC
`,
  equal: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0204
summary: Rows that are equal in what orders them.${HEADER}
columns: { n: UInt64, half: UInt64 }
pages: { by: [half] }
*/
SELECT number AS n, intDiv(number, 3) AS half FROM numbers(toUInt64(@n))
`,
  long: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0205
summary: Rows in the order of a long text.${HEADER}
columns: { text: String }
pages: { by: [text] }
*/
SELECT repeat(leftPad(toString(number), 4), 100 * toUInt64(@n) - 1000) AS text FROM numbers(toUInt64(@n))
`,
  whole: `/*
id: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0206
summary: Rows without pages.${HEADER}
columns: { n: UInt64 }
*/
SELECT number AS n FROM numbers(toUInt64(@n))
`,
};

/** The keys: two with every right over rows, and one of a tenant. */
export const KEYS = { reader: 'qg_reader', other: 'qg_other', tenant: 'qg_tenant' } as const;

/** A gateway whose endpoints have pages, on the shared ClickHouse; its clock stands still. */
export class PagingGateway extends ListeningGateway {
  private constructor(
    opened: Awaited<ReturnType<typeof open>>,
    readonly clock: SettableClock,
  ) {
    super(opened);
  }

  /** @param files other texts of endpoint files, by name of the endpoint */
  static async open(
    environment: Readonly<Record<string, string>> = {
      LINK_SECRET: 'a secret for links in tests, long enough',
    },
    files: Readonly<Record<string, string>> = {},
  ): Promise<PagingGateway> {
    const clock = new SettableClock();
    const opened = await open({
      endpoints: { ...FILES, ...files },
      keys: {
        [KEYS.reader]: { mayUseQueryString: true, mayExport: true },
        [KEYS.other]: {},
        [KEYS.tenant]: { fixed: { tenant: 'a' } },
      },
      environment,
      clock: clock.clock,
    });
    return new PagingGateway(opened, clock);
  }

  /** Runs a test with a gateway of its own. */
  static async use({ environment, files, test }: OwnGateway): Promise<void> {
    const own = await PagingGateway.open(environment, files);
    try {
      await test(own);
    } finally {
      await own.close();
    }
  }

  /** The text of an endpoint file, with something changed. */
  static fileOf(name: string, from: string, to: string): Readonly<Record<string, string>> {
    const text = FILES[name] ?? '';
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    return { [name]: text.replace(from, to) };
  }

  override receive(call: string, options: ReceiveOptions = {}): Promise<Received> {
    return super.receive(call, { key: KEYS.reader, ...options });
  }
}

/** A gateway of one test. */
interface OwnGateway {
  readonly environment?: Readonly<Record<string, string>>;
  /** Other texts of endpoint files. */
  readonly files?: Readonly<Record<string, string>>;
  readonly test: (own: PagingGateway) => Promise<void>;
}

/** The cursor of the next page. */
export const cursorOf = ({ headers }: Received): string | undefined => headers['x-next-cursor']?.toString();

/** The status, code and detail of a problem. */
export function problemIn({ status, body }: Received): string {
  const { code, detail } = JSON.parse(body.toString()) as { readonly code: string; readonly detail: string };
  return `${status} ${code}: ${detail}`;
}
