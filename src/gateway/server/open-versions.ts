import type { ClickHouseSettings } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Pieces } from '../../endpoint/pieces.js';
import { sampleValues } from '../query/sample-values.js';
import { connectClickHouse, type QueryClient } from '../clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../clickhouse/connection.js';
import { READ_ONLY } from '../clickhouse/describe-columns.js';
import { SETTINGS_OF_VERSIONS } from '../clickhouse/parts-of-version.js';
import { safetySettings } from '../clickhouse/query-settings.js';
import type { Clock } from '../query/ports.js';
import type { EndpointQuery } from '../query/endpoint-query.js';
import { EVERY_ROW } from '../query/row-scope.js';
import { findQueryData, type QueryData } from '../versions/query-data.js';
import { withProbes } from '../versions/pieces-in-tree.js';
import { selectRows } from '../clickhouse/select-rows.js';
import { readQueryTrees, type QueryTrees, type ReadRows } from '../versions/query-tree.js';
import { QueryVersions } from '../versions/query-versions.js';
import { readDataVersion } from '../versions/read-version.js';
import { TableVersions, type SharedVersions } from '../versions/table-versions.js';

/** Milliseconds that ClickHouse may take to read versions. A caller waits for that long at most, and then for the query. */
const TIMEOUT_MS = 3000;
const CONNECTIONS = 4;

const nothing = (): void => undefined;

const RANGE_ENDS = ['from', 'to'] as const;

/** Monotonic milliseconds with fractions: a read can begin in the same millisecond in which a query ends. */
const steadyMs = (): number => performance.now();

export interface VersionsDependencies {
  /** Versions that other gateways read; absent without Redis. */
  readonly shared?: SharedVersions | undefined;
  readonly clock: Clock;
  readonly onRead?: () => void;
  /** Called with the reason why the results of an endpoint are cached for a number of seconds instead. */
  readonly onNoVersion?: (endpoint: string, reason: string) => void;
  /** Called with the reason why the results of an endpoint with pieces are not composed. */
  readonly onNoPieces?: (endpoint: string, reason: string) => void;
}

/** The versions of the data of endpoints. */
export interface OpenVersions {
  readonly dataVersions: QueryVersions;
  /** Why results of an endpoint cannot be cached until their data changes; undefined where they can. */
  readonly reasonOf: (endpoint: Endpoint) => Promise<string | undefined>;
  /** Why results of an endpoint with pieces cannot be composed; undefined where they can. */
  readonly reasonOfPieces: (endpoint: Endpoint) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Opens connections of the user that reads versions. */
export function openVersions(
  connection: ClickHouseConnection,
  dependencies: VersionsDependencies,
): OpenVersions {
  const { shared, clock } = dependencies;
  const { onRead = nothing, onNoVersion = nothing, onNoPieces = nothing } = dependencies;
  const client = connectClickHouse(connection, {
    maxOpenConnections: CONNECTIONS,
    requestTimeoutMs: TIMEOUT_MS,
  });
  const readRows = rowReader(client);
  const versions = new TableVersions({
    read: (data) => readDataVersion(data, readRows),
    ...{ shared, clock, steadyClock: steadyMs, onRead },
  });
  const dataVersions = new QueryVersions({
    versions,
    findData: (bound, pieces) => findData(client, bound, connection.database, pieces),
    database: connection.database,
    steadyClock: steadyMs,
    ...{ onNoVersion, onNoPieces },
  });
  const exampleOf = (endpoint: Endpoint): EndpointQuery => {
    const names = Object.keys(endpoint.example);
    return { endpoint, values: sampleValues(endpoint, { names }, clock()), scope: EVERY_ROW };
  };
  return {
    dataVersions,
    reasonOf: (endpoint) => dataVersions.reasonOf(exampleOf(endpoint)),
    reasonOfPieces: (endpoint) => dataVersions.reasonOfPieces(exampleOf(endpoint)),
    close: () => client.close(),
  };
}

function findData(
  client: QueryClient,
  bound: BoundQuery,
  database: string,
  pieces: Pieces | undefined,
): Promise<QueryData> {
  const treesOf = (of: BoundQuery) => (): Promise<QueryTrees> =>
    readQueryTrees(rowReader(client, of), of.text);
  const conditions = new Map(
    [...(bound.conditions ?? [])].flatMap(([name, condition]) =>
      [name, `${database}.${name}`].map((full) => [full, condition]),
    ),
  );
  return findQueryData(
    { readTrees: treesOf(bound), conditions },
    rowReader(client),
    database,
    pieces && {
      ...pieces,
      ...{ bucket: pieces.bucket.name, isDescending: pieces.bucket.isDescending },
      ends: RANGE_ENDS.filter((end) => bound.text.includes(`{${pieces[end]}:`)),
      readTrees: treesOf({ ...bound, parameters: withProbes(bound.parameters, pieces) }),
    },
  );
}

/** @param bound the query whose values each text uses; without it, the values come with each text. */
function rowReader(client: QueryClient, bound?: BoundQuery): ReadRows {
  return <Row>(
    text: string,
    parameters: Readonly<Record<string, unknown>> = {},
    settings: ClickHouseSettings = {},
  ) =>
    selectRows<Row>(client, text, bound ? revealedParameters(bound) : parameters, {
      ...(bound && hasSecretValue(bound) && { use_multipart_params: true }),
      use_multipart_params_auto: true,
      abort_signal: AbortSignal.timeout(TIMEOUT_MS),
      clickhouse_settings: {
        ...(bound && safetySettings(bound)),
        ...READ_ONLY,
        // A server that does not know these settings has no versions.
        ...SETTINGS_OF_VERSIONS,
        allow_experimental_analyzer: 1,
        join_use_nulls: 0,
        output_format_json_quote_64bit_integers: 0,
        max_execution_time: TIMEOUT_MS / 1000,
        ...settings,
      },
    });
}
