import type { UsageWords } from '../cache/gateways-usage.js';

interface Kept {
  readonly words: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What workers said that they are asked, until it expires: it outlives them, so that warming goes on over a restart. */
export class UsageWordsBoard {
  private readonly byEndpoint = new Map<string, Map<string, Kept>>();

  write({ endpointId, gateway, at, words }: UsageWords, keptMs: number): true {
    const said = this.byEndpoint.get(endpointId) ?? new Map<string, Kept>();
    for (const [other, { until }] of said) if (until <= at) said.delete(other);
    said.set(gateway, { words, until: at + keptMs });
    this.byEndpoint.set(endpointId, said);
    return true;
  }

  /** @param now milliseconds since 1970. */
  readOthers(endpointId: string, gateway: string, now: number): readonly string[] {
    const said = [...(this.byEndpoint.get(endpointId) ?? [])];
    return said.flatMap(([name, { words, until }]) => (name === gateway || until <= now ? [] : [words]));
  }
}
