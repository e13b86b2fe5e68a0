import type { ClickHouseClient } from '@clickhouse/client';

/** Resolves to the name of a ClickHouse error, such as UNKNOWN_IDENTIFIER for 47. Undefined where it is unknown. Never rejects. */
export type NameOfError = (code: string) => Promise<string | undefined>;

/** Upper bound of the codes. */
const CODES = 2000;
/** Maximum time for which a response waits for the names. */
const TIMEOUT_MS = 500;

const SELECT_NAMES = `SELECT toString(number), errorCodeToName(number) FROM numbers(${CODES}) WHERE errorCodeToName(number) != ''`;

/**
 * Asks ClickHouse for the names of its errors when the first name is needed. The name that the client finds in a message is unreliable: it
 * can be a part of the query, or of a caller's value.
 */
export function errorNames(client: ClickHouseClient): NameOfError {
  let names: Promise<ReadonlyMap<string, string>> | undefined;
  const load = async (): Promise<ReadonlyMap<string, string>> => {
    const abort_signal = AbortSignal.timeout(TIMEOUT_MS);
    const result = await client.query({ query: SELECT_NAMES, format: 'JSONCompactEachRow', abort_signal });
    return new Map(await result.json<readonly [string, string]>());
  };
  return async (code) => {
    try {
      names ??= load();
      return (await names).get(code);
    } catch {
      // The name is optional, so the failure is reported without it. The next failure asks again.
      names = undefined;
      return undefined;
    }
  };
}
