import type { RawParameters } from '../../src/query/raw-parameters.js';

/** Parameters as if a caller had sent each once. */
export function rawParameters(values: Readonly<Record<string, string>>): RawParameters {
  return new Map(Object.entries(values).map(([name, text]) => [name, { text, times: 1 }]));
}
