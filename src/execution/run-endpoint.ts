import { bindQuery } from '../endpoint/bind.js';
import { rowCap, type Endpoint } from '../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import type { Clock, QueryResult, RunQuery } from './ports.js';
import type { RawParameters } from './raw-parameters.js';
import { invalidParameters, validateParameters } from './validate-parameters.js';

/** One call of an endpoint, as far as it concerns its execution. */
export interface EndpointCall {
  readonly endpoint: Endpoint;
  readonly parameters: RawParameters;
  readonly requestId: string;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/**
 * Answers calls of endpoints.
 *
 * @throws Failure: what the caller is told instead of rows.
 */
export type RunEndpoint = (call: EndpointCall) => Promise<QueryResult>;

/** The way of a call: validate its parameters, bind the query, run it. */
export function createEndpointRunner(runQuery: RunQuery, clock: Clock): RunEndpoint {
  return async ({ endpoint, parameters, requestId, signal }) => {
    const values = validateParameters(endpoint, parameters);
    const cap = rowCap(endpoint);
    const query = bindQuery(endpoint.query, values, clock(), cap + 1);
    try {
      return await runQuery({ query, columns: endpoint.columns, rowCap: cap, requestId, signal });
    } catch (error) {
      throw blameParameters(endpoint, error);
    }
  };
}

/** Only ClickHouse knows whether a regular expression compiles; its refusal is the caller's problem, by name. */
function blameParameters(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'BAD_REGULAR_EXPRESSION') return error;
  const expressions = [...endpoint.parameters].filter(([, { format }]) => format === 're2');
  const problem = 'is not a regular expression that RE2 compiles';
  return invalidParameters(
    endpoint.name,
    expressions.map(([param]) => ({ param, problem })),
  );
}
