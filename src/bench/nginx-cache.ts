import type { ServingProcess } from './gateway-process.js';
import { startNginx } from './nginx.js';

/** Starts nginx with a `proxy_cache` in front of one URL; it has one worker process, as the gateway has. */
export function startNginxCache(
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<ServingProcess> {
  const passed = Object.entries(headers).map(([name, value]) => `proxy_set_header ${name} "${value}";`);
  return startNginx(
    1,
    ({ port, folder }) => `
  proxy_cache_path ${folder}/cache keys_zone=answers:10m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${origin};
      proxy_cache answers;
      proxy_cache_key answer;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      ${passed.join('\n      ')}
    }
  }`,
  );
}
