import { candidatesFor } from '../../../src/cli/completion/candidates.js';
import { createProgram } from '../../../src/cli/program.js';
import { oneOf, text } from '../../../src/endpoint/index.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { sql } from '../../../src/endpoint/sql.js';
import { SAMPLE } from '../../support/sample-endpoint.js';

const endpoint = defineEndpoint({
  ...SAMPLE,
  parameters: {
    city: text({ description: 'A city.', required: true, suggestions: ['Rome', 'Oslo'] }),
    unit: oneOf(['hour', 'day'], { description: 'A unit.' }),
  },
  build: ({ city }) => sql`SELECT ${city} AS city`,
});

const project = {
  endpointNames: () => Promise.resolve(['sample', 'sample.other', 'visits']),
  endpoint: (name: string) => Promise.resolve(name === 'sample' ? endpoint : undefined),
};

const valuesFor = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await candidatesFor(createProgram(), words, project)).map(({ value }) => value);

describe('candidatesFor', () => {
  it.each([
    ['commands', ['comp'], ['completion']],
    ['subcommands', ['keys', 'ro'], ['rotate']],
    ['options', ['call', 'sample', '--p'], ['--param', '--post']],
    ['options of a subcommand', ['keys', 'link', '--b'], ['--base-url']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['choices of an option', ['call', '--format', 'nd'], ['ndjson']],
    ['choices of an option after =', ['call', '--format=ta'], ['--format=table']],
    ['endpoints', ['call', 'sam'], ['sample', 'sample.other']],
    ['endpoints after an option with a value', ['call', '--key', 'call', 'vis'], ['visits']],
    ['endpoints, each once', ['check', 'sample', ''], ['sample.other', 'visits']],
    ['the endpoint of an option', ['keys', 'link', '--endpoint', 'vis'], ['visits']],
    ['parameters', ['call', 'sample', '--param', ''], ['city=', 'unit=']],
    ['parameters after =', ['call', 'sample', '--param=u'], ['--param=unit=']],
    ['parameters that are not set', ['call', 'sample', '--param', 'unit=day', '--param', ''], ['city=']],
    ['parameters of --endpoint', ['keys', 'link', '--endpoint', 'sample', '--param', 'c'], ['city=']],
    ['values of a parameter', ['call', 'sample', '--param', 'unit=d'], ['unit=day']],
    ['suggested values', ['call', 'sample', '--param', 'city='], ['city=Rome', 'city=Oslo']],
    ['nothing for an unknown endpoint', ['call', 'other', '--param', ''], []],
    ['nothing where a file is expected', ['load', 'edge_logs', ''], []],
    ['nothing for the value of an option without choices', ['call', '--key', ''], []],
  ])('completes %s', async (_what, words, expected) => {
    expect(await valuesFor(...words)).toEqual(expected);
  });

  it('says which parameters are required', async () => {
    const [city, unit] = await candidatesFor(createProgram(), ['call', 'sample', '--param', ''], project);
    expect([city?.description, unit?.description]).toEqual(['required: A city.', 'A unit.']);
  });
});
