import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type CryptoKey } from 'jose';

import { Tokens, type TokenConfig } from '../../../../src/gateway/auth/tokens.js';
import {
  base64,
  CLAIMS,
  clock,
  EXPECTED,
  rejectionOf,
  SECRET,
  sign,
  signed,
  withSecret,
} from './signed-tokens.js';

/** Runs an HTTP server for an issuer's public keys on a port of its own. */
async function withServer(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a token signed with a private key', () => {
  const rsa = generateKeyPair('RS256', { extractable: true });
  const ec = generateKeyPair('ES256', { extractable: true });
  const next = generateKeyPair('RS256', { extractable: true });

  const jwksOf = async (
    ...pairs: readonly [string, Promise<{ publicKey: CryptoKey }>, string][]
  ): Promise<string> => {
    const keys = pairs.map(async ([kid, pair, alg]) => ({
      ...(await exportJWK((await pair).publicKey)),
      kid,
      alg,
      use: 'sig',
    }));
    return JSON.stringify({ keys: await Promise.all(keys) });
  };
  const withUrl = (jwksUrl: string, changes: Partial<TokenConfig> = {}): Tokens =>
    new Tokens({
      jwksUrl,
      ...EXPECTED,
      clock: clock(),
      remote: { timeoutMs: 300, cooldownMs: 0 },
      ...changes,
    });

  it('is accepted with RS256 and ES256 after a single read of the key set', async () => {
    const jwks = await jwksOf(['r', rsa, 'RS256'], ['e', ec, 'ES256']);
    let reads = 0;
    const serveKeys: RequestListener = (_request, response) => {
      reads += 1;
      response.end(jwks);
    };
    await withServer(serveKeys, async (url) => {
      const tokens = withUrl(url);
      const both = [
        await sign(CLAIMS, 'RS256', (await rsa).privateKey, 'r'),
        await sign(CLAIMS, 'ES256', (await ec).privateKey, 'e'),
      ];
      const principals = await Promise.all([...both, ...both].map((token) => tokens.verify(token)));
      expect(principals.map(({ name }) => name)).toEqual(Array(4).fill('jwt:user-7'));
      expect(reads).toBe(1);
    });
  });

  it('is accepted with a new key and rejected with a removed key', async () => {
    let jwks = await jwksOf(['old', rsa, 'RS256']);
    await withServer(
      (_request, response) => response.end(jwks),
      async (url) => {
        const tokens = withUrl(url);
        await tokens.verify(await sign(CLAIMS, 'RS256', (await rsa).privateKey, 'old'));
        jwks = await jwksOf(['new', next, 'RS256']);
        const fresh = await sign(CLAIMS, 'RS256', (await next).privateKey, 'new');
        expect((await tokens.verify(fresh)).name).toBe('jwt:user-7');
        const other = await sign({ ...CLAIMS, sub: 'b' }, 'RS256', (await rsa).privateKey, 'old');
        expect((await rejectionOf(tokens, other)).reason).toBe('invalid');
      },
    );
  });

  it('is never verified as HS256, neither with the public key as a secret nor by a gateway with a secret only', async () => {
    const { publicKey, privateKey } = await rsa;
    const jwks = await jwksOf(['r', rsa, 'RS256']);
    await withServer(
      (_request, response) => response.end(jwks),
      async (url) => {
        const pem = Buffer.from(await exportSPKI(publicKey));
        for (const tokens of [withUrl(url), withUrl(url, { secret: SECRET })]) {
          expect((await rejectionOf(tokens, await sign(CLAIMS, 'HS256', pem, 'r'))).reason).toBe('invalid');
          const unsigned = `${base64({ alg: 'none', kid: 'r' })}.${base64(CLAIMS)}.`;
          expect((await rejectionOf(tokens, unsigned)).reason).toBe('invalid');
          const signedOtherwise = await sign(
            CLAIMS,
            'PS256',
            (await generateKeyPair('PS256')).privateKey,
            'r',
          );
          expect((await rejectionOf(tokens, signedOtherwise)).reason).toBe('invalid');
        }
        const rejection = await rejectionOf(withSecret(), await sign(CLAIMS, 'RS256', privateKey, 'r'));
        expect(rejection).toMatchObject({
          reason: 'invalid',
          message: 'This token is not signed with HS256.',
        });
        expect((await withUrl(url, { secret: SECRET }).verify(await signed())).name).toBe('jwt:user-7');
      },
    );
  });

  it('is rejected when another key signed it', async () => {
    const jwks = await jwksOf(['r', rsa, 'RS256']);
    await withServer(
      (_request, response) => response.end(jwks),
      async (url) => {
        const token = await sign(CLAIMS, 'RS256', (await next).privateKey, 'r');
        expect((await rejectionOf(withUrl(url), token)).reason).toBe('invalid');
      },
    );
  });

  it.each<[string, RequestListener]>([
    ['does not respond', () => undefined],
    ['returns 500', (_request, response) => response.writeHead(500).end()],
    ['redirects', (_request, response) => response.writeHead(302, { location: '/x' }).end()],
    ['returns invalid JSON', (_request, response) => response.end('{')],
    ['returns no keys', (_request, response) => response.end('{}')],
    ['never ends its response', (_request, response) => void response.write('{"keys":[')],
    ['closes the connection', (_request, response) => response.destroy()],
  ])('is rejected as unreachable when the key server %s', async (_what, serveKeys) => {
    await withServer(serveKeys, async (url) => {
      const token = await sign(CLAIMS, 'RS256', (await rsa).privateKey, 'r');
      expect((await rejectionOf(withUrl(url), token)).reason).toBe('unreachable');
    });
  });

  it('pauses between reads of a failing key server and accepts tokens once the server recovers', async () => {
    const jwks = await jwksOf(['r', rsa, 'RS256']);
    let [reads, isUp] = [0, false];
    const serveKeys: RequestListener = (_request, response) => {
      reads += 1;
      response.writeHead(isUp ? 200 : 503).end(jwks);
    };
    await withServer(serveKeys, async (url) => {
      const tokens = withUrl(url);
      const token = await sign(CLAIMS, 'RS256', (await rsa).privateKey, 'r');
      for (let again = 0; again < 20; again += 1) {
        expect((await rejectionOf(tokens, token)).reason).toBe('unreachable');
      }
      expect(reads).toBe(1);
      isUp = true;
      await new Promise((resolve) => setTimeout(resolve, 1050));
      expect((await tokens.verify(token)).name).toBe('jwt:user-7');
    });
  });
});
