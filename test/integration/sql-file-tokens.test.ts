import fc from 'fast-check';

import { tokenize, type TokenKind } from '../../src/endpoint/sql-file/select/tokens.js';
import { useAdminClient } from '../support/clickhouse.js';
import { anySqlText } from '../support/any-sql.js';

const client = useAdminClient();

interface ServerToken {
  readonly begin: string;
  readonly end: string;
  readonly type: string;
}

const KINDS: Readonly<Record<string, TokenKind>> = {
  Whitespace: 'space',
  Comment: 'comment',
  BareWord: 'word',
  Number: 'number',
  StringLiteral: 'string',
  HereDoc: 'string',
  QuotedIdentifier: 'quoted-name',
};

function kindOf(type: string): TokenKind {
  return KINDS[type] ?? (type.startsWith('Error') ? 'invalid' : 'symbol');
}

/** Tokens as the server counts them, in bytes of UTF-8. */
function ownTokens(text: string): string[] {
  let bytes = 0;
  return tokenize(text).map(({ kind, start, end }) => {
    const begin = bytes;
    bytes += Buffer.byteLength(text.slice(start, end));
    return `${kind} ${begin}-${bytes}`;
  });
}

async function serverTokens(texts: readonly string[]): Promise<string[][]> {
  const result = await client.query({
    query: 'SELECT tokenizeQuery(arrayJoin({texts:Array(String)})) AS tokens',
    query_params: { texts },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ tokens: ServerToken[] }>();
  return rows.map(({ tokens }) => tokens.map(({ begin, end, type }) => `${kindOf(type)} ${begin}-${end}`));
}

describe('tokenize', () => {
  it('finds the same tokens as the server, in valid and invalid texts', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const texts = fc.sample(anySqlText, { numRuns: 200, seed });
      const expected = await serverTokens(texts);
      const actual = texts.map((text) => ({ text, tokens: ownTokens(text) }));
      expect(actual).toEqual(texts.map((text, index) => ({ text, tokens: expected[index] })));
    }
  });
});
