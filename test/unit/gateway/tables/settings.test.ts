import { readFile } from 'node:fs/promises';

import { SHOWN_SETTINGS, treatmentOf } from '../../../../src/gateway/tables/settings.js';

it.each([
  ['database', 'protocol'],
  ['param_city', 'protocol'],
  ['session_timezone', 'pass'],
  ['date_time_input_format', 'pass'],
  ['max_result_rows', 'rewrite'],
  ['session_id', 'ignore'],
  ['input_format_import_nested_json', 'ignore'],
  ['input_format', 'refuse'],
  ['insert_deduplicate', 'ignore'],
  ['additional_table_filters', 'refuse'],
  ['readonly', 'refuse'],
  ['cities_structure', 'refuse'],
  ['cities_format', 'refuse'],
  ['cities_types', 'refuse'],
  ['join_use_nulls2', undefined],
  ['constructor', undefined],
])('%s: %s', (name, treatment) => {
  expect(treatmentOf(name)).toBe(treatment);
});

it('shows clients only settings that they may send, each once', () => {
  const names = SHOWN_SETTINGS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => [undefined, 'refuse'].includes(treatmentOf(name)))).toEqual([]);
  expect(SHOWN_SETTINGS).toContainEqual({ name: 'alter_sync', type: 'UInt64', value: '1' });
  expect(SHOWN_SETTINGS).toContainEqual({ name: 'session_timezone', type: 'Timezone', value: '' });
});

it('is documented, setting by setting', async () => {
  const page = await readFile(new URL('../../../../docs/reference/sql.md', import.meta.url), 'utf8');
  const documented = ['protocol', 'pass', 'rewrite', 'ignore', 'refuse'].flatMap((treatment) => {
    const [, names = ''] = new RegExp(`^\\| ${treatment} +\\|(.*)\\|$`, 'm').exec(page) ?? [];
    return [...names.matchAll(/`((?:…_)?[a-z]\w+…?)`/g)]
      .filter(([, name]) => name !== 'break')
      .map(([, name = '']) => [name.replace('…', 'any'), treatment]);
  });
  expect(documented.map(([name = '']) => [name, treatmentOf(name)])).toEqual(documented);
  const names = documented.map(([name]) => name);
  expect(SHOWN_SETTINGS.filter(({ name }) => !names.includes(name))).toEqual([]);
});
