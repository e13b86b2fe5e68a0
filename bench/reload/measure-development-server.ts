import path from 'node:path';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import { formatMs, printTable } from '../measuring/print.js';
import { summarise, timed } from '../measuring/sampling.js';
import { QUERYGATE, type Stage } from '../stage.js';
import { CHANGES, ChangingProject, nameOf } from './changing-project.js';

/** Measures how long `querygate dev` needs from a saved file to its changed response. */
export async function measureDevelopmentServer(stage: Stage, rounds: number): Promise<void> {
  const project = await ChangingProject.create(path.join(stage.folder, 'developed'));
  const key = generateApiKey();
  const server = await stage.startModule(QUERYGATE, ['dev'], {
    PROJECT_DIR: project.folder,
    DATA_DIR: path.join(stage.folder, 'development-data'),
    API_KEY: key,
    LOG_LEVEL: 'warn',
  });
  const untilServed = async (file: number): Promise<void> => {
    const url = `${server.url}/api/endpoints/query/${nameOf(file)}?project=aurora`;
    for (;;) {
      const body = await (await fetch(url, { headers: { 'X-API-KEY': key } })).text();
      if (new RegExp(`"version":\\s*"?${project.versionOf(file)}\\b`).test(body)) return;
    }
  };
  const lines: string[][] = [];
  for (const change of CHANGES) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const changed = await project.change(change);
      times.push(await timed(() => untilServed(changed.at(-1) ?? 0)));
    }
    const { median } = summarise(times);
    lines.push([change, formatMs(median), formatMs(Math.max(...times))]);
  }
  printTable(['saved in querygate dev', 'until its response, median', 'longest'], lines);
  await server.stop();
}
