import { ResponseReader } from '../../../bench/gateway/response-reader.js';

const BODIES = {
  'with Content-Length': 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nX: y\r\n\r\nhello',
  chunked: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'chunked and empty': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'without a body': 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
};

/** Gives a reader pieces of bytes in one buffer, as a socket does; returns what it reported for each. */
function readPieces(reader: ResponseReader, pieces: readonly string[]): readonly (number | undefined)[] {
  const buffer = Buffer.alloc(1000);
  return pieces.map((piece) => reader.read(buffer, buffer.write(piece, 'latin1')));
}

describe.each(Object.entries(BODIES))('a response %s', (_, response) => {
  it('is complete at its last byte, wherever it is cut', () => {
    const reader = new ResponseReader();
    for (let cut = 1; cut < response.length; cut += 1) {
      const pieces = [response.slice(0, cut), response.slice(cut)];
      expect(readPieces(reader, pieces)).toEqual([undefined, 200]);
    }
  });

  it('is complete when it arrives byte by byte', () => {
    const statuses = readPieces(new ResponseReader(), Array.from(response));
    expect(statuses.at(-1)).toBe(200);
    expect(statuses.filter((status) => status !== undefined)).toHaveLength(1);
  });
});

it('reports the status of each response of a connection', () => {
  const rejected = 'HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\n{}';
  const responses = [BODIES.chunked, rejected, BODIES['without a body']];
  expect(readPieces(new ResponseReader(), responses)).toEqual([200, 429, 200]);
});
