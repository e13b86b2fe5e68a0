/** A client of ClickHouse, and what its program prints. */
export interface Client {
  /** Make the program in a copy of this folder. */
  readonly commands: readonly string[];
  readonly run: string;
  readonly facts: readonly string[];
}

/** The codes of ClickHouse that exceptions have. */
const ERRORS = ['unknown table: 60', 'syntax: 62', 'refused: 497', 'unknown key: 516', 'limit: 201'];

export const CLIENTS: Readonly<Record<string, Client>> = {
  'JDBC 0.10.0': {
    commands: ['mvn -q -B dependency:build-classpath -Dmdep.outputFile=classpath'],
    run: 'java -cp "$(cat classpath)" Jdbc.java',
    facts: [
      ...['INFORMATION_SCHEMA', 'information_schema', 'querygate', 'system'].map((name) => `schema: ${name}`),
      'table: shop_orders | VIEW | For a test. Read it as shop_orders(shop = …)',
      'table: shop_types | VIEW | For a test.',
      'column: n | UInt64 | 2 | 8 | null | 0 | Number of the order.',
      'column: price | Decimal(18, 4) | 3 | 18 | 4 | 0 | ',
      'column: city | LowCardinality(Nullable(String)) | 12 | 0 | null | 1 | ',
      "column: at | DateTime64(3, 'UTC') | 93 | 0 | null | 0 | ",
      'prepared: n java.math.BigInteger',
      'prepared: price java.math.BigDecimal',
      'not executed: 4 n',
      'row: 1 | 9.5000 | Kiel | 2026-05-17 10:05:03.123',
      'row: 18446744073709551615 | 0.0001 | null | 1999-12-31 23:59:59.999',
      'first row: 1 | 9.5000 | Kiel | 2026-05-17 10:05:03.123',
      'of shop: 7',
      ...ERRORS,
      // It has no code for a failure of a stream, which it notices: so it is with ClickHouse itself.
      'in the stream: 0',
      'cancelled: 394',
    ],
  },
  'clickhouse-go 2.51.0': {
    commands: [
      'go mod init clients',
      'go get github.com/ClickHouse/clickhouse-go/v2@v2.51.0',
      'go build -o program .',
    ],
    run: './program',
    facts: [
      ...['INFORMATION_SCHEMA', 'information_schema', 'querygate', 'system', 'shop_orders', 'shop_types'].map(
        (name) => `metadata: ${name}`,
      ),
      'metadata: n | UInt64 |  |  | Number of the order. |  | ',
      'metadata: price | Decimal(18, 4) |  |  |  |  | ',
      'metadata: city | LowCardinality(Nullable(String)) |  |  |  |  | ',
      "metadata: at | DateTime64(3, 'UTC') |  |  |  |  | ",
      'metadata: true',
      'metadata: n',
      ...['', ' in lz4', ' in zstd', ' in gzip'].map(
        (compression) => `row${compression}: 1 | 9.5 | Kiel | 2026-05-17 10:05:03.123 +0000 UTC`,
      ),
      'row: 18446744073709551615 | 0.0001 | <nil> | 1999-12-31 23:59:59.999 +0000 UTC',
      'of shop: 7',
      ...ERRORS,
      'in the stream: 153',
      'cancelled: by the client',
    ],
  },
  'Kysely 0.29.9': {
    commands: [
      'npm install --no-audit --no-fund kysely@0.29.9 @founderpath/kysely-clickhouse@1.7.0 @clickhouse/client@1.23.1',
    ],
    run: 'node kysely.mjs',
    facts: [
      // The dialect shortens the types.
      "table: shop_orders | true | n UInt64, price Decimal, city LowCardinality(String), at DateTime64(3, 'UTC')",
      'table: shop_types | true | n UInt8',
      'row: 1 | 9.5 | Kiel | 2026-05-17 10:05:03.123',
      // It reads JSON, whose integers JavaScript rounds.
      'row: 18446744073709552000 | 0.0001 |  | 1999-12-31 23:59:59.999',
      'of shop: 7',
      ...ERRORS,
      'cancelled: The user aborted a request.',
    ],
  },
};
