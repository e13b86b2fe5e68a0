import { RewritingProxy } from './rewriting-proxy.js';
import { SettableClock } from './settable-clock.js';
import type { VersionedGateway, VersionedServer } from './versioned-gateway.js';

/** A gateway, and the proxy through which it reads ClickHouse. */
export interface BehindProxy {
  readonly gateway: VersionedGateway;
  readonly proxy: RewritingProxy;
  /** What was cached has to be confirmed from now on. */
  readonly nextSecond: () => void;
}

/** Opens a gateway over endpoints, whose texts are given by name, behind a proxy that changes or holds what it sends. */
export async function withGatewayBehindProxy<T>(
  server: VersionedServer,
  endpoints: Readonly<Record<string, string>>,
  {
    rewrite = (sql) => sql,
    environment = {},
  }: {
    readonly rewrite?: (sql: string) => string;
    readonly environment?: Readonly<Record<string, string>>;
  },
  use: (tools: BehindProxy) => Promise<T>,
): Promise<T> {
  const proxy = await RewritingProxy.start(server.server.adminConnection.url, rewrite);
  const time = new SettableClock();
  const gateway = await server.openGateway(endpoints, {
    clock: time.clock,
    environment: { CLICKHOUSE_URL: proxy.url, ...environment },
  });
  const nextSecond = (): void => {
    time.advance(1000);
  };
  try {
    return await use({ gateway, proxy, nextSecond });
  } finally {
    await gateway.close();
    await proxy.close();
  }
}
