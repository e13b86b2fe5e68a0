import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address on which a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** @returns the URL of the server @throws Error that names the variables to change */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const { message } = cause as Error;
    throw new Error(
      `${message}. Set another HOST or PORT (ADMIN_HOST, ADMIN_PORT; SQL_HOST, SQL_PORT), or stop the program that uses it.`,
      { cause },
    );
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
