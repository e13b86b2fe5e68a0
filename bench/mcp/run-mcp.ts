import { startDeployed, startThisBuild } from '../gateway/deployed-gateway.js';
import { print, printMachine } from '../measuring/print.js';
import { startRedis } from '../servers/redis.js';
import { hasProgram } from '../servers/server-process.js';
import type { Stage } from '../stage.js';
import { findCases, measureHits, measureLoad, measureMisses, measureRareHits } from './measure-calls.js';
import { measureManyEndpoints } from './measure-endpoints.js';
import { measureMemory } from './measure-memory.js';

/** A limit that no measurement reaches, so that the gateway counts requests as for any tenant. */
const QUOTA = { limits: { requests: { quota: 1_000_000_000, window: 60 } } };

/** Measures calls by MCP beside the same HTTP requests, on gateways as deployed; prints tables. */
export async function runMcp(stage: Stage, rounds: number): Promise<void> {
  const build = await startThisBuild(stage);
  const { file: keysFile, keys } = await stage.writeKeys({ limited: QUOTA });
  const deployment = { stage, keysFile };
  const hasRedis = hasProgram('redis-server');
  const redisUrl = hasRedis ? await startRedis(stage) : undefined;
  const environment = { MCP: 'on', ...(redisUrl !== undefined && { REDIS_URL: redisUrl }) };
  printMachine(
    `ClickHouse, ${hasRedis ? 'Redis' : 'no Redis, which is not on this machine'}, gateways and the clients share these cores`,
  );

  const gateway = await startDeployed(deployment, build, environment);
  const target = { url: gateway.url, apiKey: keys.limited };
  print('\nMemory of a gateway');
  await measureMemory(target, gateway.pid);
  const { hits, misses } = await findCases(target);
  await measureHits(target, hits, rounds * 10);
  await measureRareHits(target, hits, rounds);
  await measureLoad(target, hits, { pid: gateway.pid, rounds: 5, calls: rounds * 2 });
  await measureMisses(target, misses, rounds);
  await gateway.stop();

  const startProject = async (folder: string): Promise<typeof target> => {
    const { url } = await startDeployed(deployment, build, { ...environment, PROJECT_DIR: folder });
    return { url, apiKey: keys.limited };
  };
  await measureManyEndpoints(stage, startProject, rounds * 10);
}
