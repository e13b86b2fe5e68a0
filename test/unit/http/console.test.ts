import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import express from 'express';
import request from 'supertest';

import { serveConsole } from '../../../src/http/console.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

/** An application of nothing but a console, and 404 for what it leaves. */
const appOf = (folder: string): express.Express =>
  express()
    .use(serveConsole(folder, 'index.html'))
    .use((_request, response) => {
      response.status(404).json({ left: true });
    });

async function built(use: (folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    // A folder whose name begins with a dot is one like any other.
    const own = path.join(folder, '.console');
    await mkdir(path.join(own, 'assets'), { recursive: true });
    await writeFile(path.join(own, 'index.html'), '<!doctype html>');
    await writeFile(path.join(own, 'operator.html'), 'operator');
    await writeFile(path.join(own, 'assets', 'index-1a2b.js'), 'export {};');
    await use(own);
  });
}

describe('the console’s files', () => {
  it('are its page at /, asked for each time, under a policy of its own', async () => {
    await built(async (folder) => {
      const response = await request(appOf(folder)).get('/');
      expect([response.status, response.text]).toEqual([200, '<!doctype html>']);
      expect(response.headers['cache-control']).toBe('no-cache');
      const policy = String(response.headers['content-security-policy']).split('; ');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy.join()).not.toMatch(/unsafe|\*/);
    });
  });

  it('are kept for ever where their name has their contents', async () => {
    await built(async (folder) => {
      const response = await request(appOf(folder)).get('/assets/index-1a2b.js');
      expect(response.status).toBe(200);
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(response.headers['content-type']).toContain('javascript');
    });
  });

  it.each([
    '/operator.html',
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/no.js',
    '/assets/..%2findex.html',
    '/x',
  ])('do not include %s', async (url) => {
    await built(async (folder) => {
      expect((await request(appOf(folder)).get(url)).body).toEqual({ left: true });
    });
  });

  it('are none where the console has not been built', async () => {
    const response = await request(appOf('/nowhere/at/all')).get('/');
    expect([response.status, response.body]).toEqual([404, { left: true }]);
    expect(response.headers['content-security-policy']).toBeUndefined();
  });
});
