import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REFERENCE } from '../../../support/reference-project.js';

describe.each(['querygate.xml', 'querygate-log.xml'])('the grants of users.d/%s', (file) => {
  it('are the same for a table and for its local table on a cluster', async () => {
    const xml = await readFile(path.join(REFERENCE.schemaFolder, 'users.d', file), 'utf8');
    const granted = [...xml.matchAll(/GRANT (\w+ ON logs\.\w+)/g)].map(([, grant = '']) => grant);
    const onTables = granted.filter((grant) => !grant.endsWith('_local'));
    expect(onTables).not.toEqual([]);
    expect([...granted].sort()).toEqual(onTables.flatMap((grant) => [grant, `${grant}_local`]).sort());
  });
});
