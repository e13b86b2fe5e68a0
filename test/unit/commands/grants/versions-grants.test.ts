import { versionsGrants } from '../../../../src/commands/grants/versions-grants.js';
import { grantsOfVersionsFile } from '../../../support/versioned-gateway.js';

describe('versionsGrants', () => {
  it('are those of the users file', () => {
    expect(versionsGrants('logs')).toEqual(grantsOfVersionsFile());
  });

  it('quotes the name of a database that needs it', () => {
    expect(versionsGrants('my-logs')[0]).toBe('GRANT SELECT ON `my-logs`.*');
  });
});
