import { sentParameters } from '../call/recordable-call.js';
import type { RunningCall } from '../call/running-calls.js';

/** The calls in `GET /calls`, with parameters as callers wrote them; secret values as an HMAC. */
export function describeCalls(
  running: ReadonlyMap<string, RunningCall>,
  now: number,
): readonly Readonly<Record<string, unknown>>[] {
  return [...running].map(([id, { caller, call, since }]) => {
    const times = { since: new Date(since).toISOString(), seconds: Math.max(0, now - since) / 1000 };
    if ('endpoints' in call) {
      const { endpoints, sql, tool } = call;
      const own = { id, endpoint: endpoints.join(', '), key: caller, parameters: { sql, tool } };
      return { ...own, ...times, export: false };
    }
    const { query, presentation, sql } = call;
    const { name: endpoint, parameters: declared } = query.endpoint;
    const parameters = sentParameters(call).map(([name, value]): readonly [string, unknown] => [
      name,
      declared.get(name)?.secret ? query.values.get(name) : value,
    ]);
    return {
      ...{ id, endpoint, key: caller },
      parameters: { ...Object.fromEntries(parameters), ...(sql !== undefined && { sql }) },
      ...times,
      export: presentation.isExport,
    };
  });
}
