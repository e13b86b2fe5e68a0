import type { Endpoint } from '../../endpoint/endpoint.js';
import { problem } from '../../endpoint/problems.js';
import type { Values } from '../../endpoint/values.js';
import { bindCall } from '../../gateway/query/endpoint-query.js';
import type { EndpointResult } from '../../gateway/query/endpoint-result.js';
import { requestOf } from '../../gateway/query/fetch-result.js';
import type { Call } from '../../gateway/query/call.js';
import { PieceComposer } from '../../gateway/query/pieces/composer.js';
import { areEqualRows } from '../../gateway/query/pieces/equal-rows.js';
import { PieceVerifier } from '../../gateway/query/pieces/verifier.js';
import type { ResultStore } from '../../gateway/query/result-store.js';
import { EVERY_ROW } from '../../gateway/query/row-scope.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { openVersions, type OpenVersions } from '../../gateway/server/open-versions.js';
import type { CheckedEndpoint } from './checked-endpoint.js';
import { exampleOf, type CheckTools } from './check-endpoint.js';

/** Ranges of the data that are compared. */
const RANGES = 12;

/**
 * Adds to what was checked whether results that are composed of pieces are those of one query, over ranges of the data.
 *
 * @param source the connection of a user that may read the versions of tables, or why there is none
 */
export async function withComposed(
  checked: readonly CheckedEndpoint[],
  endpoints: readonly Endpoint[],
  { source, tools }: { readonly source: OpenClickHouse['versions']; readonly tools: CheckTools },
): Promise<readonly CheckedEndpoint[]> {
  const withPieces = new Map(
    endpoints.flatMap((endpoint) => (endpoint.pieces ? [[endpoint.name, endpoint] as const] : [])),
  );
  if ('reason' in source || withPieces.size === 0) return checked;
  const versions = openVersions(source, { clock: tools.now });
  try {
    const all: CheckedEndpoint[] = [];
    for (const each of checked) {
      const endpoint = withPieces.get(each.name);
      all.push(endpoint && each.example ? await compared(each, endpoint, versions, tools) : each);
    }
    return all;
  } finally {
    await versions.close();
  }
}

async function compared(
  checked: CheckedEndpoint,
  endpoint: Endpoint,
  versions: OpenVersions,
  tools: CheckTools,
): Promise<CheckedEndpoint> {
  const reason = (await versions.reasonOf(endpoint)) ?? (await versions.reasonOfPieces(endpoint));
  const warn = (text: string): CheckedEndpoint => ({
    ...checked,
    warnings: [...checked.warnings, `its results are not composed of pieces: ${text}`],
  });
  if (reason !== undefined) return warn(reason);
  const { composed, different } = await compareRanges(endpoint, versions, tools);
  if (different !== undefined) {
    const found = problem(
      'PIECES_NOT_POSSIBLE',
      `from ${different.join(' to ')} the rows of the partitions are not those of one query`,
    );
    return { ...checked, problems: [...checked.problems, found] };
  }
  if (composed > 0) return checked;
  return warn(
    `none of ${RANGES} ranges of its data could be: it has fewer than two partitions, more rows than the row cap, or buckets with rows of two partitions`,
  );
}

/** Composes results over ranges of the data, each from pieces of the ones before, and compares them with one query. */
async function compareRanges(
  endpoint: Endpoint,
  { dataVersions }: OpenVersions,
  tools: CheckTools,
): Promise<{ readonly composed: number; readonly different?: readonly string[] }> {
  const { now, runQuery, signal } = tools;
  const store = memoryStore();
  const verifier = new PieceVerifier({
    ...{ runQuery, dataVersions, random: () => 1, onVerified: () => undefined },
    purge: () => Promise.resolve(),
  });
  const composer = new PieceComposer({
    ...{ runQuery, store, dataVersions, verifier, clock: now, onComposed: () => undefined },
  });
  const callOf = (values: Values): Call => ({
    ...{ endpoint, values, scope: EVERY_ROW, requestId: 'querygate-check', signal, demand: 'any' },
  });
  const partitions = (await dataVersions.partitions(callOf(exampleOf(endpoint, tools))))?.partitions ?? [];
  const since = Math.min(...partitions.map((partition) => partition.since));
  const until = Math.max(...partitions.map((partition) => partition.until)) + 1;
  let composed = 0;
  if (partitions.length < 2) return { composed };
  for (let index = 0; index < RANGES; index += 1) {
    const range = rangeOf(index, since, until);
    const call = callOf(exampleOf(endpoint, tools, boundsOf(endpoint, range)));
    const bound = bindCall(call);
    const known = await dataVersions.before({ ...call, bound });
    const rows = await composer.compose(call, bound, (of, data) => requestOf(call, of, now(), data));
    if (!rows || !known) continue;
    const whole = await runQuery(requestOf(call, bound, now(), known));
    // Where the data changes meanwhile, nothing can be compared.
    if (!whole.isOfVersion || rows.data?.version !== known.version) continue;
    composed += 1;
    if (!areEqualRows(whole.body, rows.body)) return { composed, different: range };
  }
  return { composed };
}

/** The whole of the data, and parts of it whose ends wander through the days. */
function rangeOf(index: number, since: number, until: number): readonly [from: string, to: string] {
  const length = until - since;
  const from = index === 0 ? since : since + (length * ((index * 7) % RANGES)) / (2 * RANGES);
  const to = index === 0 ? until : until - (length * ((index * 5) % RANGES)) / (2.5 * RANGES);
  const iso = (seconds: number): string => new Date(Math.floor(seconds) * 1000).toISOString();
  return [iso(from), iso(to)];
}

const boundsOf = (
  { pieces }: Endpoint,
  [from, to]: readonly [string, string],
): Readonly<Record<string, string>> => (pieces ? { [pieces.from]: from, [pieces.to]: to } : {});

function memoryStore(): ResultStore {
  const results = new Map<string, EndpointResult>();
  return {
    get: ({ hash }) => Promise.resolve(results.get(hash)),
    set: ({ hash }, result) => {
      results.set(hash, result);
      return Promise.resolve();
    },
    purge: () => Promise.resolve(),
  };
}
