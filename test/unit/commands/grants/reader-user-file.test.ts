import { grantStatement, type Grant } from '../../../../src/gateway/analysis/reads/grant.js';
import { grantsInUsersFile, readerUserFile } from '../../../../src/commands/grants/reader-user-file.js';

const grant = (name: string, rest: Partial<Grant> = {}): Grant => ({
  privilege: 'SELECT',
  database: 'logs',
  name,
  isStored: true,
  ...rest,
});

describe('the users file of the reader', () => {
  it('has the grants, with names as SQL and XML need them', () => {
    const statements = [grant('edge_logs'), grant('a<b & `c`', { privilege: 'dictGet' })].map((each) =>
      grantStatement(each),
    );
    const file = readerUserFile('reader', statements);
    expect(file).toContain('<query>GRANT SELECT ON logs.edge_logs</query>');
    expect(file).toContain('<query>GRANT dictGet ON logs.`a&lt;b &amp; \\`c\\``</query>');
    expect(file).toContain('<reader>');
    expect(grantsInUsersFile(file)).toEqual(statements);
  });

  it('is read without its comments', () => {
    expect(grantsInUsersFile('<!-- <query>GRANT a</query> --><query>\n GRANT b\n</query>')).toEqual([
      'GRANT b',
    ]);
  });
});
