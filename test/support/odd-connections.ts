/** Bytes that are written at once, and whether the next ones wait for the response. */
export interface Step {
  readonly bytes: Buffer;
  readonly settles: boolean;
}

/** Numbers from 0 up to 1, the same ones for each seed (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Valid keys; the gateway gives them their names, and has a principal for each. */
export const KEYS = ['qg_plain', 'qg_limited', 'qg_addressed', 'qg_bypassing'] as const;
const QUERY = '/api/endpoints/query/';
const HITS = ['Rome', 'Oslo', 'Rome&numbers=text', 'Rome&format=csv&download=true'].map(
  (city) => `${QUERY}cached?city=${city}`,
);
const TARGETS = [
  ...['Rome&x=1', '%52ome', 'R me', 'Rome&api_key=qg_plain'].map((city) => `${QUERY}cached?city=${city}`),
  ...[
    `${QUERY}uncached?city=Rome`,
    '/api/endpoints',
    '/nothing',
    '*',
    `http://gateway${QUERY}cached?city=Rome`,
  ],
];
const splitLines = (lines: string): readonly string[] => lines.split(' | ');
const USUAL_LINES = [
  ...splitLines(
    'X-Request-Id: <id> | x-request-id: <id> | traceparent: <trace> | X-Forwarded-For: <address>',
  ),
  ...splitLines(
    'Accept: */* | Accept-Encoding: gzip, br | Accept-Encoding: gzip | Accept-Encoding: identity',
  ),
  ...splitLines(
    'User-Agent: a client/1.0 (it) | Connection: keep-alive | If-None-Match: * | If-None-Match: "x"',
  ),
  ...splitLines('Origin: https://app.example | Origin: https://other.example | Cookie: a=b; c=d'),
];
const ODD_LINES = [
  ...splitLines(
    'Connection: close | connection: Keep-Alive | Connection: keep-alive, x | Connection: Upgrade',
  ),
  ...splitLines(
    'Upgrade: h2c | Content-Length: 0 | Content-Length: 3 | Transfer-Encoding: chunked | TE: trailers',
  ),
  ...splitLines(
    'Expect: 100-continue | Expect: x | Trailer: X | Keep-Alive: timeout=5 | Proxy-Connection: close',
  ),
  ...splitLines(
    'Range: bytes=0-5 | Prefer: wait=9 | Cache-Control: no-cache | Authorization: Bearer qg_plain',
  ),
  ...splitLines(
    'X-Request-Id: a\r\n b | X-Request-Id: a  b | X-Request-Id:\ta | X-Request-Id: a\tb | X-Request-Id:a',
  ),
  ...['X-Request-Id:', 'X-Request-Id: ', 'X-Request-Id: a ', 'traceparent: ', 'X-Forwarded-For: \xe9'],
  ...splitLines(
    'X-Folded: a\r\n b | X-High: \xe9 | X\xe9: a | X : a | : a | Host: other | X: a\n | X: \0 | X: a\rb',
  ),
  ...[`X-Long: ${'x'.repeat(5000)}`, `X-Forwarded-For: ${'10.0.0.1, '.repeat(500)}1`],
];
/** Makes connections of requests: valid, invalid, pipelined, cut, and such as look like others. */
export class OddConnections {
  private readonly blocks: string[];
  /** Of the connection that is made: the share of what hardly any client sends. */
  private oddness = 0.1;

  constructor(private readonly random: () => number) {
    this.blocks = Array.from({ length: 40 }, () => this.block());
  }

  make(): readonly Step[] {
    this.blocks[this.below(this.blocks.length)] = this.block();
    this.oddness = [0.02, 0.1, 0.4][this.below(3)] ?? 0;
    return Array.from({ length: 1 + this.below(12) }, () => this.requests()).flatMap((texts) =>
      texts.map((text) => ({ bytes: Buffer.from(text, 'latin1'), settles: this.random() < 0.8 })),
    );
  }

  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  private pick(from: readonly string[]): string {
    return from[this.below(from.length)] ?? '';
  }

  /** A request or more, as the texts of chunks. */
  private requests(): readonly string[] {
    if (this.random() > this.oddness) return [this.get()];
    const get = this.get();
    switch (this.below(8)) {
      case 0:
        return [get + this.get() + this.pick(['', this.get()])];
      case 1:
        return this.cut(this.withLength(get));
      case 2:
        return this.cut(this.chunked());
      case 3:
        return [get.replace('GET', this.pick(['HEAD', 'HEAD', 'get', 'OPTIONS', 'G\tET']))];
      case 4:
        return [
          get.replace('HTTP/1.1', this.pick(['HTTP/1.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 ', 'HTTP/1.1\n'])),
        ];
      case 5:
        return this.cut(this.mutated(get));
      case 6:
        return [
          this.pick([
            '\r\n',
            '\n',
            'GET / HTTP/1.1\r\nHost: a\r\nX: ',
            '\0',
            'G',
            'GET /x',
            'PRI * HTTP/2.0\r\n\r\n',
          ]),
        ];
      default:
        return this.cut(get);
    }
  }

  private get(): string {
    const block =
      this.random() > this.oddness ? (this.blocks[this.below(this.blocks.length)] ?? '') : this.block();
    return `GET ${this.pick(this.random() > this.oddness ? HITS : TARGETS)} HTTP/1.1\r\n${this.withNewValues(block)}`;
  }

  /** Gives the lines that proxies send anew other values. */
  private withNewValues(block: string): string {
    return block
      .replaceAll('<id>', () => `r-${this.below(1000)}`)
      .replaceAll('<trace>', () => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333${this.below(10)}-01`)
      .replaceAll('<address>', () => this.pick(['192.0.2.7', '198.51.100.1', '192.0.2.1, 10.0.0.1']));
  }

  /** A header block, with the empty line after it. */
  private block(): string {
    const lines = [
      'Host: gateway',
      `${this.pick(['X-API-KEY', 'x-api-key'])}: ${this.random() < 0.7 ? KEYS[0] : this.pick(KEYS)}`,
    ];
    while (this.random() < 0.6) lines.splice(this.below(lines.length + 1), 0, this.line());
    if (this.random() < 0.02) lines.splice(this.below(lines.length), 1);
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  private line(): string {
    return this.pick(this.random() < 0.85 ? USUAL_LINES : ODD_LINES);
  }

  private withLength(body: string): string {
    const wrong = this.random() < 0.2 ? this.below(20) - 10 : 0;
    const length = Math.max(0, body.length + wrong);
    return `${this.post()}Content-Length: ${length}\r\n\r\n${body}`;
  }

  private chunked(): string {
    const chunks = Array.from({ length: this.below(3) }, () => {
      const data = this.random() < 0.5 ? this.get() : 'abc';
      const extension = this.pick(['', ';a=b', '; a="b"', ';\n']);
      return `${data.length.toString(16)}${extension}\r\n${data}${this.pick(['\r\n', '\r\n', '\n'])}`;
    });
    const trailer = this.pick(['', '', 'X: a\r\n', this.get()]);
    return `${this.post()}Transfer-Encoding: ${this.pick(['chunked', 'chunked', 'gzip, chunked', 'xchunked'])}\r\n\r\n${chunks.join('')}0\r\n${trailer}\r\n`;
  }

  private post(): string {
    const key = this.pick(KEYS);
    return `POST /api/endpoints/query/cached HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\n`;
  }

  private cut(text: string): readonly string[] {
    if (this.random() < 0.3) return [text];
    const at = this.below(text.length);
    const parts = [text.slice(0, at), text.slice(at)].filter((part) => part !== '');
    return this.random() < 0.3
      ? parts.flatMap((part) => (part.length > 1 ? [part.slice(0, 1), part.slice(1)] : [part]))
      : parts;
  }

  private mutated(text: string): string {
    const at = this.below(text.length);
    const byte = this.pick([
      '\r',
      '\n',
      ' ',
      '\t',
      ':',
      '\0',
      'x',
      '\x7f',
      '\xff',
      '\r\n',
      '\r\n ',
      String.fromCharCode(this.below(256)),
    ]);
    return text.slice(0, at) + this.pick(['', byte, byte]) + text.slice(at + this.below(3));
  }
}
