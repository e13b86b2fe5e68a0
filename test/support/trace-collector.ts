import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it is exported. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A trace collector: what it received, as text and as spans. */
export async function withCollector(
  use: (url: string, received: { readonly texts: string[] }) => Promise<void>,
): Promise<void> {
  const received = { texts: [] as string[] };
  const server = createServer((request, response) => {
    void collect(request).then((text) => {
      received.texts.push(text);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, received);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function collect(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

export const spansIn = (texts: readonly string[]): readonly OtlpSpan[] =>
  texts.flatMap((text) =>
    (JSON.parse(text) as OtlpBody).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
