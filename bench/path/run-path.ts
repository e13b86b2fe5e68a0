import { Session, type Profiler } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { createGateway } from '../../src/index.js';
import { printTable } from '../measuring/print.js';
import { PROJECT_ROOT, type Stage } from '../stage.js';

/** Where the modules of the gateway are: those of libraries do not count. */
const SOURCES = path.join(path.sep, 'bench-dist', 'src', path.sep);

/** How often each is sent: from the first ones the gateway learns. */
const TURNS = 12;

/** A kind of request. */
interface Kind {
  readonly name: string;
  readonly target: (turn: number) => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ENDPOINT = '/api/endpoints/query/usage.api-counts?interval=hourly&project=';

const KINDS: readonly Kind[] = [
  { name: 'miss', target: (turn) => `${ENDPOINT}aurora${turn}` },
  { name: 'hit', target: () => `${ENDPOINT}borealis` },
  // The fast path takes no request with this header.
  { name: 'hit by Express', target: () => `${ENDPOINT}borealis`, headers: { Prefer: 'wait=5' } },
];

/** Counts the files and functions of the gateway that a request enters, by V8's precise coverage; prints a table. */
export async function runPath(stage: Stage): Promise<void> {
  const environment = { PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: path.join(stage.folder, 'path') };
  const gateway = await createGateway({ project: PROJECT_ROOT, environment });
  stage.closesWith(gateway.close);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const rows: string[][] = [];
  for (const { name, target, headers = {} } of KINDS) {
    const send = async (turn: number): Promise<void> => {
      const all = { 'X-API-KEY': gateway.apiKey ?? '', ...headers };
      const response = await fetch(new URL(target(turn), gateway.url), { headers: all });
      if (response.status !== 200) throw new Error(`${name}: status ${response.status}`);
      await response.arrayBuffer();
      // What the gateway does after the response, such as the log, belongs to the request.
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const counts: ReadonlyMap<string, readonly string[]>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await send(turn);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      counts.push(enteredOf(result));
    }
    // The others have what the gateway did beside the request: its warming, or the analysis of endpoints at its start.
    const [least = new Map<string, readonly string[]>()] = counts.sort(
      (one, other) => functionsOf(one).length - functionsOf(other).length,
    );
    rows.push([name, String(least.size), String(functionsOf(least).length)]);
  }
  session.disconnect();
  printTable(['request', 'files', 'functions'], rows);
}

const functionsOf = (entered: ReadonlyMap<string, readonly string[]>): readonly string[] =>
  [...entered.values()].flat();

/** The functions that were called, by file. */
function enteredOf(scripts: readonly Profiler.ScriptCoverage[]): ReadonlyMap<string, readonly string[]> {
  const ours = scripts.filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).includes(SOURCES));
  return new Map(
    ours.flatMap(({ url, functions }) => {
      const [, file = ''] = fileURLToPath(url).split(SOURCES);
      const called = functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0);
      return called.length === 0
        ? []
        : [[file, called.map(({ functionName }) => functionName || 'anonymous')]];
    }),
  );
}
