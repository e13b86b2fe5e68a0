import type { Endpoint } from '../../endpoint/endpoint.js';
import { problem } from '../../endpoint/problems.js';
import { LocalStore } from '../../gateway/cache/local-store.js';
import { bindCall } from '../../gateway/query/endpoint-query.js';
import { requestOf } from '../../gateway/query/fetch-result.js';
import { PieceComposer } from '../../gateway/query/pieces/composer.js';
import { areEqualRows } from '../../gateway/query/pieces/equal-rows.js';
import { PieceVerifier } from '../../gateway/query/pieces/verifier.js';
import type { OpenVersions } from '../../gateway/server/open-versions.js';
import type { CheckedEndpoint } from './checked-endpoint.js';
import type { CallTools } from '../clickhouse/call-tools.js';
import { exampleCall } from './check-endpoint.js';

/** Ranges of the data that are compared. */
const RANGES = 12;
/** Maximum bytes of cached pieces during the comparison; further ones are queried again. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Adds to what was checked whether results that are composed of pieces are those of one query, over ranges of the data. */
export async function withPieces(
  checked: CheckedEndpoint,
  endpoint: Endpoint,
  versions: OpenVersions,
  tools: CallTools,
): Promise<CheckedEndpoint> {
  const warn = (text: string): CheckedEndpoint => ({
    ...checked,
    warnings: [...checked.warnings, `its results are not composed of pieces: ${text}`],
  });
  const reason = await versions.reasonOfPieces(endpoint);
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
  tools: CallTools,
): Promise<{ readonly composed: number; readonly different?: readonly string[] }> {
  const { now, runQuery } = tools;
  const store = new LocalStore(MAX_BYTES, now);
  const verifier = new PieceVerifier({
    ...{ runQuery, dataVersions, random: () => 1, onVerified: () => undefined },
    purge: () => Promise.resolve(),
  });
  const composer = new PieceComposer({
    ...{ runQuery, store, dataVersions, verifier, clock: now, onComposed: () => undefined },
  });
  const partitions = (await dataVersions.partitions(exampleCall(endpoint, tools)))?.partitions ?? [];
  const since = Math.min(...partitions.map((partition) => partition.since));
  const until = Math.max(...partitions.map((partition) => partition.until)) + 1;
  let composed = 0;
  if (partitions.length < 2) return { composed };
  for (let index = 0; index < RANGES; index += 1) {
    const range = rangeOf(index, since, until);
    const call = exampleCall(endpoint, tools, boundsOf(endpoint, range));
    const bound = bindCall(call);
    const known = await dataVersions.before({ ...call, bound });
    const rows = await composer.compose(call, bound, (of, data) => requestOf(call, of, now(), data));
    if (!rows || !known) continue;
    const whole = await runQuery(requestOf(call, bound, now(), known));
    // Nothing can be compared if the data changes during the comparison.
    if (!whole.isOfVersion || rows.data?.version !== known.version) continue;
    composed += 1;
    if (!areEqualRows(whole.body, rows.body)) return { composed, different: range };
  }
  return { composed };
}

/** A range: first the whole of the data, then parts of it with different ends. */
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
