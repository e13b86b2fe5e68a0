import { BlockList, isIP } from 'node:net';

/** Where a key may be used from. */
export interface AddressSet {
  /** Whether an IP address is among them; false for a text that is none. */
  readonly allows: (address: string) => boolean;
}

/** An IPv6 address that stands for one of IPv4, as a dual-stack socket shows its peers. */
const MAPPED = /^(?:::|(?:0{1,4}:){5})ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/**
 * Addresses and CIDR ranges, IPv4 and IPv6. IPv4 callers of an IPv6 socket (`::ffff:10.0.0.1`) count as what they are.
 *
 * @param ranges such as `10.0.0.7`, `10.0.0.0/8`, `2001:db8::/32`.
 * @throws Error naming the first that is neither an address nor a range.
 */
export function addressSet(ranges: readonly string[]): AddressSet {
  // One list each: in a common one, ::/0 would take in all of IPv4.
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
  // One with a zone is meant for one machine's interface; one that is mapped is better written as what it is.
  if (version === undefined || address.includes('%') || MAPPED.test(address)) throw new Error(faultOf(range));
  if (slash === -1) {
    lists[version].addAddress(address, `ipv${version}`);
    return;
  }
  const bits = range.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) throw new Error(faultOf(range));
  lists[version].addSubnet(address, Number(bits), `ipv${version}`);
}

function versionOf(address: string): 4 | 6 | undefined {
  const version = isIP(address);
  return version === 4 || version === 6 ? version : undefined;
}

function faultOf(range: string): string {
  return `${JSON.stringify(range)} is neither an IP address nor a range such as 10.0.0.0/8 or 2001:db8::/32`;
}

/** Without a zone, and IPv4 as IPv4. */
function plainAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  const [, dotted, high, low] = MAPPED.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const bytes = [parseInt(high, 16), parseInt(low, 16)].flatMap((word) => [word >> 8, word & 255]);
  return bytes.join('.');
}
