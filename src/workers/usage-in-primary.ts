import type { UsageBoard } from '../cache/gateways-usage.js';
import type { PrimaryLink } from './primary-link.js';

/** Where workers tell each other what they are asked. */
export function usageInPrimary(link: PrimaryLink): UsageBoard {
  return {
    write: (words, keptMs) => link.ask('usage.write', { words, keptMs }),
    readOthers: (endpointId, gateway) => link.ask('usage.read', { endpointId, gateway }),
  };
}
