import type { ParameterValue } from './parameters/parameter.js';
import type { SecretValue } from './parameters/secret-value.js';

/** The value of a validated parameter; null where it is omitted. */
export type Value = ParameterValue | SecretValue | null;

/** The validated parameters of a request, by name. */
export type Values = ReadonlyMap<string, Value>;
