import { text } from 'node:stream/consumers';

import { readSettings } from '../../../../src/commands/loading/json-table.js';
import { withFakeClickHouse } from '../../../support/fake-clickhouse.js';

const NAME = 'input_format_read_datetime_number_as_raw_value';

describe('readSettings', () => {
  it.each([
    ['that knows the setting', `{"name":"${NAME}"}\n`, 1],
    ['of an earlier release', '', undefined],
  ])('pins what a number in a time column means on a server %s, and asks once', async (_, known, value) => {
    const queries: string[] = [];
    await withFakeClickHouse(
      (request, response) => {
        void text(request).then((query) => {
          queries.push(query);
          response.end(known);
        });
      },
      async ({ client }) => {
        expect(await readSettings(client)).toMatchObject({ date_time_input_format: 'best_effort' });
        expect(Object.entries(await readSettings(client)).find(([name]) => name === NAME)?.[1]).toBe(value);
      },
    );
    expect(queries).toEqual([expect.stringContaining(`name = '${NAME}'`)]);
  });

  it('asks again after a failure', async () => {
    let isFailing = true;
    await withFakeClickHouse(
      (request, response) => {
        request.resume();
        response.writeHead(isFailing ? 500 : 200).end();
      },
      async ({ client }) => {
        await expect(readSettings(client)).rejects.toThrow();
        isFailing = false;
        expect(await readSettings(client)).toMatchObject({ precise_float_parsing: 1 });
      },
    );
  });
});
