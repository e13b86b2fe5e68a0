import type { RawParameters } from '../../src/gateway/query/raw-parameters.js';

/** Builds the parameters of a request that sends each name once. */
export function rawParameters(values: Readonly<Record<string, string>>): RawParameters {
  return new Map(Object.entries(values).map(([name, text]) => [name, { text, times: 1 }]));
}
