import type { UsageLedger } from './usage-ledger.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { Times } from '../formats/format.js';
import { representationOf } from '../formats/representation.js';
import { keyOf } from '../query/cache-key.js';
import type { EndpointQuery } from '../query/endpoint-query.js';
import type { Clock } from '../query/ports.js';
import { resolveParameters } from '../query/validate-parameters.js';

export interface DeclaredSetsDependencies {
  readonly endpoints: Endpoints;
  readonly ledger: Pick<UsageLedger, 'declare'>;
  readonly clock: Clock;
  /** Format in which the gateway writes times. */
  readonly times: Times;
}

/**
 * Returns a function that declares the sets of all endpoints. A later call declares them again if a relative time in one of them means
 * another time now, or if the endpoints were replaced.
 */
export function createSetDeclarer({ endpoints, ledger, clock, times }: DeclaredSetsDependencies): () => void {
  let changesAt = 0;
  let declaredFor: readonly Endpoint[] = [];
  return () => {
    const now = clock();
    if (now.getTime() < changesAt && endpoints.all() === declaredFor) return;
    declaredFor = endpoints.all();
    const queries = declaredQueries(endpoints, times, now);
    ledger.declare(queries.map((query) => ({ key: keyOf(query), query })));
    changesAt = Math.min(...queries.map((query) => query.changesAt ?? Infinity));
  };
}

/** Parameter sets that endpoints declare, in JSON, the most common representation. */
function declaredQueries(endpoints: Endpoints, times: Times, now: Date): readonly EndpointQuery[] {
  return endpoints.all().flatMap((endpoint) => {
    const { numbers = 'plain' } = endpoint.settings;
    const representation = representationOf('json', { times, numbers });
    return endpoint.warm.map((parameters) => {
      const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
      return { endpoint, ...resolveParameters(endpoint, raw, { now }), scope: '', representation };
    });
  });
}
