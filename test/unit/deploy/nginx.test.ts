import { textOf } from '../../support/documentation.js';

/** The headers that nginx sends instead of the caller's, by name; comments are no directives. */
function headersSetBy(configuration: string): ReadonlyMap<string, string> {
  const directives = configuration.replaceAll(/#.*$/gm, '');
  const set = directives.matchAll(/proxy_set_header\s+([\w-]+)\s+([^;]+);/g);
  return new Map([...set].map(([, name = '', value = '']) => [name, value]));
}

const locationsIn = (configuration: string): readonly string[] =>
  [...configuration.matchAll(/^\s*location\s+([^{]+?)\s*\{/gm)].map(([, location = '']) => location);

describe('deploy/nginx.conf of a project, which terminates TLS', () => {
  it('reports the scheme and host of the caller’s URL, whatever the caller sends', async () => {
    const headers = headersSetBy(await textOf('src/commands/cli/templates/deploy-systemd/deploy/nginx.conf'));
    expect(headers.get('X-Forwarded-Proto')).toBe('$scheme');
    expect(headers.get('X-Forwarded-Host')).toBe('$http_host');
    expect(headers.get('X-Forwarded-For')).toBe('$remote_addr');
  });
});

describe('deploy/nginx.conf, behind a proxy that terminates TLS', () => {
  it('passes on the scheme and host that this proxy reports', async () => {
    const headers = headersSetBy(await textOf('deploy/nginx.conf'));
    expect(headers.get('Host')).toBe('$http_host');
    expect(headers.has('X-Forwarded-Proto')).toBe(false);
    expect(headers.has('X-Forwarded-Host')).toBe(false);
  });
});

describe.each(['deploy/nginx.conf', 'src/commands/cli/templates/deploy-systemd/deploy/nginx.conf'])(
  '%s',
  (file) => {
    it('passes every path to the gateways, /mcp and /.well-known included', async () => {
      const locations = locationsIn(await textOf(file));
      expect(locations.filter((location) => !location.startsWith('@'))).toEqual(['/']);
    });
  },
);
