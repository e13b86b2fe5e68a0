import { defineEndpoint } from '../../../../../src/endpoint/endpoint.js';
import { column, sql, timestamp } from '../../../../../src/endpoint/index.js';
import { NO_VERSIONS } from '../../../../../src/gateway/query/data-versions.js';
import { bindCall } from '../../../../../src/gateway/query/endpoint-query.js';
import { requestOf } from '../../../../../src/gateway/query/fetch-result.js';
import type { PartitionedData } from '../../../../../src/gateway/query/known-data.js';
import type { QueryRequest } from '../../../../../src/gateway/query/ports.js';
import { rangeCallOf, type RangeCall } from '../../../../../src/gateway/query/pieces/range.js';
import { PieceVerifier, type Verification } from '../../../../../src/gateway/query/pieces/verifier.js';
import { EVERY_ROW } from '../../../../../src/gateway/query/row-scope.js';
import { SAMPLE } from '../../../../support/sample-endpoint.js';
import { Figures } from '../../../../../src/endpoint/figures.js';

const ENDPOINT = defineEndpoint({
  ...SAMPLE,
  caching: 'until-changed',
  parameters: { from: timestamp({ description: 'A.' }), to: timestamp({ description: 'A.' }) },
  columns: { hour: column('DateTime', 'An hour.') },
  example: {},
  pieces: { table: 't', time: 'time', bucket: 'hour', from: 'from', to: 'to' },
  build: ({ from, to }) => sql`SELECT hour FROM t WHERE time >= ${from} AND time < ${to}`,
});

const dataOf = (hash: string): PartitionedData => ({
  ...{
    version: 'v',
    rest: 'rest',
    readAt: 0,
    isMoving: false,
    isFromExcluded: false,
    changed: () => undefined,
  },
  partitions: [{ id: '20260101', hash, since: 0, until: 1 }],
  filters: (condition) => condition,
  versionFilters: (condition) => `of the version, ${condition}`,
});

function rangeOf(): RangeCall {
  const call = {
    ...{
      endpoint: ENDPOINT,
      values: new Map([
        ['from', null],
        ['to', null],
      ]),
      scope: EVERY_ROW,
    },
    ...{ requestId: 'request', signal: new AbortController().signal, demand: 'any' as const },
  };
  const range = rangeCallOf(call, bindCall(call), (bound, data) => requestOf(call, bound, new Date(0), data));
  if (!range) throw new Error('the call has no range');
  return range;
}

const KEPT = {
  spans: dataOf('a').partitions.map((partition) => ({ partition })),
  body: Buffer.from('{"result":[1]}'),
};

/** A verifier before a ClickHouse that responds with a body. */
function verifierOf({
  body = '{"result":[1]}',
  isOfVersion = true,
  hashLater = 'a',
  random = 0,
}: {
  readonly body?: string | Error;
  readonly isOfVersion?: boolean;
  readonly hashLater?: string;
  readonly random?: number;
}): {
  readonly verifier: PieceVerifier;
  readonly outcomes: Verification[];
  readonly purged: (string | undefined)[];
  readonly requests: QueryRequest[];
} {
  const outcomes: Verification[] = [];
  const purged: (string | undefined)[] = [];
  const requests: QueryRequest[] = [];
  const verifier = new PieceVerifier({
    runQuery: (request) => {
      requests.push(request);
      if (body instanceof Error) return Promise.reject(body);
      const cost = new Figures({ rowsRead: 1, bytesRead: 1, clickhouseMs: 1 });
      const of = isOfVersion ? { isOfVersion } : {};
      return Promise.resolve({ body: Buffer.from(body), rowCount: 1, truncated: false, cost, ...of });
    },
    purge: ({ endpointId }) => {
      purged.push(endpointId);
      return Promise.resolve();
    },
    dataVersions: {
      ...NO_VERSIONS,
      partitions: () => Promise.resolve(dataOf(hashLater)),
    },
    random: () => random,
    onVerified: (_endpoint, outcome) => outcomes.push(outcome),
  });
  return { verifier, outcomes, purged, requests };
}

describe('PieceVerifier', () => {
  it.each<[string, Parameters<typeof verifierOf>[0], Verification]>([
    ['equal', {}, 'equal'],
    ['other', { body: '{"result":[2]}' }, 'different'],
    ['those of data that changed before its query', { isOfVersion: false }, 'changed'],
    ['those of data that changed after it', { hashLater: 'b' }, 'changed'],
    ['not there, because ClickHouse fails', { body: new Error('away') }, 'failed'],
  ])('compares kept rows with one query: %s', async (_what, options, outcome) => {
    const { verifier, outcomes, purged } = verifierOf(options);
    verifier.sometimes(rangeOf(), dataOf('a'), () => KEPT);
    await verifier.idle();
    expect(outcomes).toEqual([outcome]);
    expect(verifier.isWrong(ENDPOINT)).toBe(outcome === 'different');
    expect(purged).toEqual(outcome === 'different' ? [ENDPOINT.id] : []);
  });

  it('queries the partitions of the kept rows, behind every caller', async () => {
    const { verifier, requests } = verifierOf({});
    verifier.sometimes(rangeOf(), dataOf('a'), () => KEPT);
    await verifier.idle();
    expect(requests).toMatchObject([
      {
        requestId: 'request-verify',
        requester: { priority: 'warming' },
        data: { tableFilters: "of the version, _partition_id = '20260101'" },
      },
    ]);
  });

  it('verifies one in 500 results, and one at a time', async () => {
    const rare = verifierOf({ random: 0.0021 });
    rare.verifier.sometimes(rangeOf(), dataOf('a'), () => KEPT);
    await rare.verifier.idle();
    expect(rare.outcomes).toEqual([]);
    const often = verifierOf({ random: 0.0019 });
    for (let count = 0; count < 3; count += 1) often.verifier.sometimes(rangeOf(), dataOf('a'), () => KEPT);
    await often.verifier.idle();
    expect(often.outcomes).toEqual(['equal']);
  });
});
