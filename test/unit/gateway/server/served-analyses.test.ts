import { text } from 'node:stream/consumers';
import type { RequestListener } from 'node:http';
import { ClickHouseError } from '@clickhouse/client';

import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { EndpointAnalyses } from '../../../../src/gateway/analysis/endpoint-analyses.js';
import { ServedAnalyses } from '../../../../src/gateway/server/served-analyses.js';
import { respondWith, withFakeClickHouse } from '../../../support/fake-clickhouse.js';
import { pollUntil } from '../../../support/poll-until.js';
import { RecordingLogger } from '../../../support/recording-logger.js';
import { fileOf } from '../../../support/reloaded-project.js';
import { ManualTimers } from '../scheduler/manual-timers.js';

const COLUMNS = '{"name":"city","type":"Nullable(String)"}\n{"name":"version","type":"String"}\n';

/** The columns of the query, and a tree that reads no table. */
const respondToAnalysis: RequestListener = (request, response) => {
  void text(request).then((query) => {
    const body = query.startsWith('EXPLAIN QUERY TREE') ? '{"explain":"QUERY id: 0"}\n' : COLUMNS;
    respondWith(body, 2)(request, response);
  });
};

describe('an error that passes while ClickHouse analyses an endpoint', () => {
  it.each([
    ['a quota', '201'],
    ['too many queries', '202'],
    ['memory', '241'],
    ['a shard that is away', '279'],
    ['a server without threads', '439'],
  ])('does not reject it, and it is analysed again with growing pauses: %s', async (_what, code) => {
    const endpoint = readSqlEndpoint(fileOf('one', 1, 'first'));
    const analyses = new EndpointAnalyses();
    const logger = new RecordingLogger();
    const timers = new ManualTimers();
    const { clock, setTimer } = timers;
    const asked: number[] = [];
    await withFakeClickHouse(respondToAnalysis, async ({ client: real }) => {
      const client = new Proxy(real, {
        get: (target, key) => {
          if (key !== 'query') return Reflect.get(target, key) as unknown;
          if (asked.length > 3) return target.query.bind(target);
          asked.push(clock().getTime());
          if (asked.length > 3) return target.query.bind(target);
          return () => Promise.reject(new ClickHouseError({ message: 'no', code, type: 'PASSING' }));
        },
      });
      const served = new ServedAnalyses({
        ...{ analyses, logger, clients: [client], clock, setTimer },
        ...{ endpoints: new EndpointRegistry([endpoint]), fileOf: () => undefined },
      });
      served.start();
      for (const pause of [2000, 4000, 8000]) {
        await timers.advance(pause - 1);
        expect([analyses.isRejected(endpoint), analyses.isAccepted(endpoint)]).toEqual([false, false]);
        expect(() => {
          analyses.requireRunnable(endpoint);
        }).not.toThrow();
        await timers.advance(1);
      }
      await pollUntil('it is accepted', () => analyses.isAccepted(endpoint) || undefined);
      served.close();
    });
    const [first = 0] = asked;
    expect(asked.map((at) => at - first)).toEqual([0, 2000, 6000, 14_000]);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'ClickHouse did not analyse an endpoint: it is asked again, and calls run meanwhile',
    ]);
  });
});
