import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import express from 'express';
import request from 'supertest';

import { serveConsole } from '../../../../../src/gateway/http/describe/console.js';
import { withTemporaryFolder } from '../../../../support/temporary-folder.js';

/** An application with the console and a 404 handler. */
const appOf = (folder: string): express.Express =>
  express()
    .use(serveConsole(folder, 'index.html'))
    .use((_request, response) => {
      response.status(404).json({ unhandled: true });
    });

async function built(use: (folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    // The folder's name begins with a dot, which express.static ignores by default.
    const own = path.join(folder, '.console');
    await mkdir(path.join(own, 'assets'), { recursive: true });
    await writeFile(path.join(own, 'index.html'), '<!doctype html>');
    await writeFile(path.join(own, 'admin.html'), 'admin');
    await writeFile(path.join(own, 'assets', 'index-1a2b.js'), 'export {};');
    await use(own);
  });
}

describe('serveConsole', () => {
  it('serves the page at / with no-cache and a content security policy', async () => {
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

  it('serves assets as immutable', async () => {
    await built(async (folder) => {
      const response = await request(appOf(folder)).get('/assets/index-1a2b.js');
      expect(response.status).toBe(200);
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(response.headers['content-type']).toContain('javascript');
    });
  });

  it.each([
    '/admin.html',
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/no.js',
    '/assets/..%2findex.html',
    '/x',
  ])('does not serve %s', async (url) => {
    await built(async (folder) => {
      expect((await request(appOf(folder)).get(url)).body).toEqual({ unhandled: true });
    });
  });

  it('calls the next handler when the console has not been built', async () => {
    const response = await request(appOf('/nowhere/at/all')).get('/');
    expect([response.status, response.body]).toEqual([404, { unhandled: true }]);
    expect(response.headers['content-security-policy']).toBeUndefined();
  });
});
