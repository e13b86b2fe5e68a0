import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { representationOf } from '../../../../../src/gateway/formats/representation.js';
import type { ReadCall } from '../../../../../src/gateway/http/call/read-call.js';
import { sendExport } from '../../../../../src/gateway/http/result/send-export.js';
import { pollUntil } from '../../../../support/poll-until.js';
import { ManualTimers } from '../../scheduler/manual-timers.js';

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const HALF_MINUTE_MS = 30_000;

/** Rows that never end. */
function* rows(): Generator<Buffer> {
  for (;;) yield CHUNK;
}

describe('an export', () => {
  const timers = new ManualTimers();
  let sending: Promise<void> | undefined;
  let sent: ServerResponse | undefined;
  const call = { presentation: { representation: representationOf('csv'), download: false } };
  const server = createServer((request, response) => {
    sent = response;
    sending = sendExport(request, response, {
      ...{ call: call as unknown as ReadCall, now: 0, setTimer: timers.setTimer },
      context: {},
      beforeHeaders: () => undefined,
      run: (openSink) => pipeline([Readable.from(rows()), ...openSink().streams]),
    });
    sending.catch(() => response.destroy());
  });
  afterAll(() => server.close());

  const open = async (): Promise<IncomingMessage> => {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [received] = (await once(request, 'response')) as [IncomingMessage];
    received.on('error', () => undefined);
    return received;
  };
  const untilBlocked = (): Promise<true> =>
    pollUntil('the client is waited for', () => ((sent?.socket?.writableLength ?? 0) > 0 ? true : undefined));
  /** Reads bytes, slower than they come. */
  const read = async (received: IncomingMessage, bytes: number): Promise<void> => {
    let left = bytes;
    while (left > 0) {
      const chunk = received.read() as Buffer | null;
      if (chunk) left -= chunk.length;
      else await once(received, 'readable');
    }
  };

  it('ends, and says why, where the client reads less than the least rate, and does not while it reads as much', async () => {
    const received = await open();
    await untilBlocked();
    await timers.advance(HALF_MINUTE_MS);
    // What the client reads shows once the buffers of the connection have room again.
    await read(received, 16 * 1024 * 1024);
    await untilBlocked();
    await timers.advance(HALF_MINUTE_MS);
    expect([sent?.destroyed, timers.size]).toEqual([false, 1]);
    // The system can take more into its buffers meanwhile, for which the client need not read.
    await pollUntil('no timer is left', async () => {
      await timers.advance(HALF_MINUTE_MS);
      return timers.size === 0 ? true : undefined;
    });
    await expect(sending).rejects.toMatchObject({
      code: 'EXPORT_TOO_SLOW',
      message: expect.stringContaining('1048576 bytes') as string,
    });
    received.destroy();
  });
});
