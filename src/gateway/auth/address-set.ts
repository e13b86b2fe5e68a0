import { BlockList, isIP } from 'node:net';

/** A set of IP addresses from which a key may be used. */
export interface AddressSet {
  /** Whether the set contains an IP address; false for a text that is not an IP address. */
  readonly allows: (address: string) => boolean;
}

/** Matches an IPv4-mapped IPv6 address: a dual-stack socket reports its IPv4 peers as such. */
const MAPPED = /^(?:::|(?:0{1,4}:){5})ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/**
 * Builds a set of IPv4 and IPv6 addresses and CIDR ranges. `allows` treats an IPv4-mapped address (`::ffff:10.0.0.1`) as
 * IPv4; a range must not be one.
 *
 * @param ranges addresses and ranges such as `10.0.0.7`, `10.0.0.0/8`, `2001:db8::/32`.
 * @throws Error naming the first item that is not an address or range, has a zone, or is IPv4-mapped.
 */
export function addressSet(ranges: readonly string[]): AddressSet {
  // A list for each IP version: in a shared list, ::/0 would also match every IPv4 address.
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const range of ranges) add(lists, range);
  return {
    allows: (text) => {
      const address = plainAddress(text);
      const version = versionOf(address);
      return version !== undefined && lists[version].check(address, `ipv${version}`);
    },
  };
}

function add(lists: Readonly<Record<4 | 6, BlockList>>, range: string): void {
  const slash = range.indexOf('/');
  const address = slash === -1 ? range : range.slice(0, slash);
  const version = versionOf(address);
  // A zone is valid on one machine only; a mapped address has a plain IPv4 spelling.
  if (version === undefined || address.includes('%') || MAPPED.test(address))
    throw new Error(invalidRange(range));
  if (slash === -1) {
    lists[version].addAddress(address, `ipv${version}`);
    return;
  }
  const bits = range.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128))
    throw new Error(invalidRange(range));
  lists[version].addSubnet(address, Number(bits), `ipv${version}`);
}

function versionOf(address: string): 4 | 6 | undefined {
  const version = isIP(address);
  return version === 4 || version === 6 ? version : undefined;
}

function invalidRange(range: string): string {
  return `${JSON.stringify(range)} must be an IP address or range such as 10.0.0.0/8 or 2001:db8::/32, without a zone and not IPv4-mapped`;
}

/** Removes the zone and turns an IPv4-mapped address into IPv4. */
function plainAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  const [, dotted, high, low] = MAPPED.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const bytes = [parseInt(high, 16), parseInt(low, 16)].flatMap((word) => [word >> 8, word & 255]);
  return bytes.join('.');
}
