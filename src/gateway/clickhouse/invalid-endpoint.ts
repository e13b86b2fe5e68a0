import { hasSecretValue, type BoundQuery } from '../../endpoint/bind.js';
import { OTHER_VALUES, type DeclaredTypes } from '../../endpoint/declared-types.js';
import { withoutZones } from '../../endpoint/type-name.js';
import { endpointInvalid, type Failure } from '../errors.js';
import type { QueryRequest } from '../query/ports.js';
import { compareColumns } from './compare-columns.js';
import { converted, isOfColumns } from './converted-columns.js';
import { describe, type DescribeOptions } from './describe-columns.js';
import { explained, textWithoutValues } from './explain-error.js';
import type { NameOfError } from './error-names.js';

/**
 * Failure of a call whose endpoint ClickHouse rejects: its query, or the types of its columns, which cannot be converted to the declared
 * ones without loss. The failure is the same in every format. Undefined where ClickHouse accepts the endpoint.
 *
 * @param optionsOf returns the options for describing a query
 * @throws Error where ClickHouse does not analyse the query
 */
export async function invalidEndpoint(
  { details }: Failure,
  request: QueryRequest,
  nameOf: NameOfError,
  optionsOf: (query: BoundQuery) => DescribeOptions,
): Promise<Failure | undefined> {
  const { query, columns } = request.definition?.() ?? request;
  if (columns === 'unknown' || !isOfColumns(details.cause)) return undefined;
  const rejected = await describe(converted(query, columns), optionsOf(query)).catch(
    (error: unknown) => error,
  );
  const isOfRow = OTHER_VALUES.has(details.cause.code);
  if (!isOfColumns(rejected) && !isOfRow) return undefined;
  const differences = await differencesOf(query, columns, optionsOf(query)).catch(() => []);
  if (differences.length === 0 && isOfRow) return undefined;
  if (differences.length === 0)
    return await explained(endpointInvalid({ cause: rejected }), { query, columns }, nameOf);
  const text = hasSecretValue(query)
    ? undefined
    : textWithoutValues({ message: differences.join('; ') }, query);
  return endpointInvalid({ diagnosis: text ?? 'its columns are not those that the definition declares' });
}

/** Differences of the columns. Zones are not compared, because a zone can be a value of the request. */
async function differencesOf(
  query: BoundQuery,
  columns: DeclaredTypes,
  options: DescribeOptions,
): Promise<readonly string[]> {
  const declared = [...columns].map(([name, { type }]) => [name, { type: withoutZones(type) }] as const);
  const described = (await describe(query, options)).map(({ name, type }) => ({
    name,
    type: withoutZones(type),
  }));
  const differences = compareColumns(new Map(declared), described);
  return differences.flatMap(({ column, problem }) => (column === undefined ? [] : [problem]));
}
