/**
 * Addresses of servers, separated by commas; blanks around them don't count.
 *
 * @throws Error that continues a sentence about the variable, and names the address that is wrong; never with credentials.
 */
export function readServerUrls(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  const urls = items.map((item, index) => {
    if (!isHttpUrl(item)) {
      throw new Error(
        `must be http:// or https:// addresses, separated by commas; ${placeOf(item, index, items)} is none`,
      );
    }
    return item;
  });
  const names = urls.map(serverName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`names ${twice} twice; name each server once`);
  return urls;
}

/** What a server is called in the log and in metrics: host and port, and a path where it has one. Never credentials. */
export function serverName(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `${hostname}:${port || defaultPort}${pathname.replace(/\/$/, '')}`;
}

function isHttpUrl(item: string): boolean {
  return /^https?:\/\/[^/]/i.test(item) && URL.canParse(item);
}

/** Where there is an @ anywhere, any piece of the text can be a piece of a password. */
function placeOf(item: string, index: number, all: readonly string[]): string {
  const place = `number ${index + 1} of ${all.length}`;
  const shown = item.split('?', 1)[0] ?? '';
  return shown === '' || all.some((one) => one.includes('@')) ? place : `${place} (${shown})`;
}
