import { readConfig } from '../../../src/gateway/config/config.js';
import { validateParameters } from '../../../src/gateway/query/validate-parameters.js';
import { loadProjectEndpoints } from '../../../src/gateway/server/project-endpoints.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { REFERENCE_WITHOUT_ENV } from '../../support/reference-project.js';

const endpoints = await loadProjectEndpoints(readConfig({ PROJECT_DIR: REFERENCE_WITHOUT_ENV }));

describe('usage.api-counts', () => {
  const read = (parameters: Record<string, string>) => () => {
    const endpoint = endpoints.all().find(({ name }) => name === 'usage.api-counts');
    if (!endpoint) throw new Error('the endpoint is missing');
    return validateParameters(endpoint, rawParameters(parameters));
  };

  it('requires project and interval, and a project of 1 to 1,000 characters', () => {
    const interval = 'daily';
    expect(read({ interval, project: 'x'.repeat(1000) })).not.toThrow();
    expect(read({ interval, project: 'x'.repeat(1001) })).toThrow('project');
    expect(read({ interval, project: '' })).toThrow('project');
    expect(read({ interval })).toThrow('project');
    expect(read({ project: 'aurora' })).toThrow('interval');
  });
});
