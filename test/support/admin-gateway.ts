import request, { type Response } from 'supertest';

import { JSON_REPRESENTATION, type Representation } from '../../src/gateway/formats/representation.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { executeCall } from '../../src/gateway/query/execute-call.js';
import type { CacheDemand } from '../../src/gateway/query/call.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { rawParameters } from './raw-parameters.js';
import { TestClock } from './test-clock.js';
import { noKeys } from './test-credentials.js';
import { openTestExecution, type TestExecution } from './test-execution.js';
import { referenceEndpoints } from './reference-project.js';

/** The shipped endpoints. */
export const endpoints = await referenceEndpoints();

/** A gateway's query execution with clients for its admin API. */
export interface AdminGateway extends TestExecution {
  readonly time: TestClock;
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body?: unknown) => Promise<Response>;
  /** Sends a caller's request; resolves to its cache status. */
  readonly send: (
    name: string,
    parameters?: Readonly<Record<string, string>>,
    representation?: Representation,
  ) => Promise<string>;
}

/** Runs a test's body with the admin API of a gateway without Redis. */
export async function withAdminGateway(use: (gateway: AdminGateway) => Promise<void>): Promise<void> {
  const clock = new TestClock();
  const execution = await openTestExecution({ endpoints: endpoints.all(), clock: clock.read });
  const app = createAdminApp({ ...execution, ...noKeys(clock.read), endpoints });
  const query: AdminGateway['send'] = async (name, parameters, representation = JSON_REPRESENTATION) => {
    const endpoint = endpoints.find(name);
    if (!endpoint) throw new Error(`there is no endpoint ${name}`);
    const values = validateParameters(endpoint, rawParameters(parameters ?? endpoint.example));
    const { signal } = new AbortController();
    const demand: CacheDemand = 'any';
    const endpointQuery = { endpoint, values, scope: '', representation };
    return (await executeCall(execution, { ...endpointQuery, requestId: 'r', signal, demand })).status;
  };
  try {
    await use({
      ...execution,
      time: clock,
      send: query,
      get: (path) => request(app).get(path),
      post: (path, body) =>
        request(app)
          .post(path)
          .send(body as object),
    });
  } finally {
    await execution.close();
  }
}
