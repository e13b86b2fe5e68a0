import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { ServedEndpoints } from '../../../../src/endpoint/served-endpoints.js';
import { ProblemsOfFiles, type LoadedEndpoints } from '../../../../src/gateway/server/project-endpoints.js';
import { Reloader, type Reload, type ReloadOptions } from '../../../../src/gateway/server/reloader.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { TestClock } from '../../../support/test-clock.js';

const OTHER_ID = '11111111-2222-4333-8444-666666666666';
const loaded = (...endpoints: Endpoint[]): LoadedEndpoints => ({
  endpoints: new EndpointRegistry(endpoints),
  problems: [],
  kept: [],
});

/** A reloader of a gateway that serves the sample, with a load that a test decides. */
class ReloadUnderTest {
  readonly served = new ServedEndpoints(new EndpointRegistry([sampleEndpoint()]));
  readonly clock = new TestClock();
  readonly reported: Reload[] = [];
  readonly prepared: string[] = [];
  readonly options: ReloadOptions[] = [];
  loads: (() => Promise<LoadedEndpoints>)[] = [];
  readonly outdated: (readonly string[])[] = [];
  readonly reloader = new Reloader({
    served: this.served,
    load: () => (this.loads.shift() ?? (() => Promise.reject(new Error('no load was expected'))))(),
    prepare: (_all, changed, options) => {
      this.options.push(options);
      this.prepared.push(...changed.map(({ name }) => name));
      return Promise.resolve();
    },
    onReplaced: (ids) => this.outdated.push([...ids]),
    clock: this.clock.read,
    report: (outcome) => this.reported.push(outcome),
  });
}

describe('a reload', () => {
  it('replaces all endpoints at once, and names what is new, changed and gone', async () => {
    const under = new ReloadUnderTest();
    const [before] = under.served.all();
    const other = sampleEndpoint({ name: 'other', id: OTHER_ID });
    under.loads = [
      () => Promise.resolve(loaded(sampleEndpoint({ caching: 5 }), other)),
      () => Promise.resolve(loaded(other)),
    ];
    expect(await under.reloader.reload()).toMatchObject({ ok: true, added: ['other'], changed: ['sample'] });
    expect(under.prepared).toEqual(['other', 'sample']);
    expect(before && under.served.has(before)).toBe(false);
    expect(under.served.find('sample')?.settings.caching).toBe(5);
    expect(await under.reloader.reload()).toMatchObject({ ok: true, changed: [], removed: ['sample'] });
    // What was cached for longer than it may be fresh now.
    expect(under.outdated).toEqual([[before?.id], [before?.id]]);
  });

  it('keeps the results of an endpoint with other settings, where they may be cached for as long', async () => {
    const under = new ReloadUnderTest();
    under.loads = [() => Promise.resolve(loaded(sampleEndpoint({ maxRows: 5, caching: 100_000 })))];
    expect(await under.reloader.reload()).toMatchObject({ ok: true, changed: ['sample'] });
    expect(under.outdated).toEqual([[]]);
  });

  it.each([
    [
      'a file is invalid',
      new ProblemsOfFiles([{ file: 'endpoints/a.sql', line: 3, code: 'FILE_FAILED', problem: 'is wrong' }]),
    ],
    ['the settings are invalid', new Error('ENDPOINT_SETTINGS_FILE is wrong')],
  ])('changes nothing where %s', async (_what, error) => {
    const under = new ReloadUnderTest();
    const [before] = under.served.all();
    under.loads = [() => Promise.reject(error)];
    under.clock.advance(60);
    const outcome = await under.reloader.reload();
    expect([outcome.ok, outcome.problems[0]?.problem]).toEqual([false, expect.stringContaining('is wrong')]);
    expect([under.served.all(), under.outdated]).toEqual([[before], []]);
    expect(under.reloader.last).toBe(outcome);
    expect(under.clock.milliseconds - under.reloader.lastSuccess.getTime()).toBe(60_000);
    expect(under.reported).toEqual([outcome]);
  });

  it('that is requested during another one runs once more, after it', async () => {
    const under = new ReloadUnderTest();
    let release: (loaded: LoadedEndpoints) => void = () => undefined;
    under.loads = [
      () => new Promise((resolve) => (release = resolve)),
      () => Promise.resolve(loaded(sampleEndpoint({ summary: 'Newer.' }))),
    ];
    const first = under.reloader.reload();
    const later = [under.reloader.reload(), under.reloader.reload()];
    release(loaded(sampleEndpoint({ summary: 'Older.' })));
    await first;
    const [one, two] = await Promise.all(later);
    expect([one === two, under.loads.length]).toEqual([true, 0]);
    expect(under.served.find('sample')?.summary).toBe('Newer.');
  });

  it('that is requested when another one ends joins the one that waits, so that two never run at once', async () => {
    const under = new ReloadUnderTest();
    let release: (loaded: LoadedEndpoints) => void = () => undefined;
    under.loads = [
      () => new Promise((resolve) => (release = resolve)),
      () => Promise.resolve(loaded(sampleEndpoint({ summary: 'Newer.' }))),
    ];
    const next = under.reloader.reload().then(() => under.reloader.reload());
    const waiting = under.reloader.reload();
    release(loaded(sampleEndpoint()));
    expect(await next).toBe(await waiting);
    expect(under.loads).toHaveLength(0);
  });

  it('is forced where one of those who wait for it forces it, and the next one is not', async () => {
    const under = new ReloadUnderTest();
    under.loads = Array.from({ length: 3 }, () => () => Promise.resolve(loaded(sampleEndpoint())));
    const { reloader } = under;
    await Promise.all([
      reloader.reload(),
      reloader.reload(),
      reloader.reload({ force: true }),
      reloader.reload(),
    ]);
    await reloader.reload();
    expect(under.options).toEqual([{ force: false }, { force: true }, { force: false }]);
  });
});
