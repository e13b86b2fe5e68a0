import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Representation } from '../formats/representation.js';
import type { RowScope } from './row-scope.js';
import type { SandboxedSelect } from './sandboxed-select.js';

/** A query of an endpoint: validated parameters, and the properties of the caller that determine the rows. */
export interface EndpointQuery {
  readonly endpoint: Endpoint;
  readonly values: Values;
  readonly scope: RowScope;
  /** The caller's own SELECT over the result, if it sent one and the endpoint allows it. */
  readonly sandbox?: SandboxedSelect;
  /** Milliseconds since 1970 from which the request that led here means other values, because a time in it is relative. */
  readonly changesAt?: number;
  /** Output format of the rows; JSON if absent. */
  readonly representation?: Representation;
}
