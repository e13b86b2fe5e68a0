/**
 * Reads a comma-separated list of server URLs; whitespace around them is ignored.
 *
 * @throws Error whose text continues after the variable's name and identifies the invalid URL, without credentials.
 */
export function readServerUrls(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  const urls = items.map((item, index) => {
    if (!isHttpUrl(item)) {
      throw new Error(
        `must be a comma-separated list of http:// or https:// URLs; ${positionOf(item, index, items)} is invalid`,
      );
    }
    return item;
  });
  const names = urls.map(serverName);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`contains ${repeated} twice; list each server once`);
  return urls;
}

/** The name of a server in the log and in metrics: host, port, and path unless empty; never credentials. */
export function serverName(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `${hostname}:${port || defaultPort}${pathname.replace(/\/$/, '')}`;
}

function isHttpUrl(item: string): boolean {
  return /^https?:\/\/[^/]/i.test(item) && URL.canParse(item);
}

/** The position of an item, with its text. The text is absent where any item has an @, because it may be part of a password. */
function positionOf(item: string, index: number, all: readonly string[]): string {
  const position = `number ${index + 1} of ${all.length}`;
  const shown = item.split('?', 1)[0] ?? '';
  return shown === '' || all.some((one) => one.includes('@')) ? position : `${position} (${shown})`;
}
