import { inspect } from 'node:util';
import fc from 'fast-check';

import { hasLink, Links, type LinkSpec, type OpenedLink } from '../../../../src/gateway/auth/links.js';
import type { SentParameters } from '../../../../src/gateway/auth/pinned-parameters.js';
import type { Principal } from '../../../../src/gateway/auth/principal.js';
import { anyText } from '../../../support/any-text.js';

const SECRET = 'a secret of thirty-two bytes, or more';
const NOW = Date.UTC(2026, 4, 17);
const DAY = 86_400_000;
const ENDPOINT = { id: 'id-1', name: 'logs.all', parameters: new Set(['project', 'tier', 'term']) };
const KEY: Principal = { name: 'sheet', mayBypassCache: true, created: '2026-01-01T00:00:00.000Z' };

const links = new Links(SECRET);
const spec = (changes: Partial<LinkSpec> = {}): LinkSpec => ({
  endpoint: ENDPOINT,
  parameters: new Map([['project', 'abc']]),
  key: KEY,
  expiresAtMs: NOW + DAY,
  nowMs: NOW,
  ...changes,
});
const sentOf = (url: string): Map<string, { text: string; times: number }> =>
  new Map([...new URL(url, 'http://x').searchParams].map(([name, text]) => [name, { text, times: 1 }]));
const open = (sent: SentParameters, key: Principal = KEY, nowMs = NOW, endpoint = ENDPOINT): OpenedLink =>
  links.open(endpoint, sent, (name) => (name === key.name ? key : undefined), nowMs);
const outcomeOf = (opened: OpenedLink): string => ('rejected' in opened ? opened.rejected : 'opened');

describe('a signed link', () => {
  const good = links.sign(spec());

  it('consists of a path, parameters, key, expiry and signature', () => {
    expect(good).toMatch(
      /^\/api\/endpoints\/query\/logs\.all\?project=abc&link_key=sheet&link_expires=1779062400&link_signature=[\w-]{43}$/,
    );
    expect(hasLink(sentOf(good))).toBe(true);
    expect(hasLink(sentOf('/?link_key=a'))).toBe(false);
  });

  it('has the limits and pinned parameters of its key, for its endpoint only, until it expires', () => {
    const key: Principal = {
      ...KEY,
      mayExport: true,
      mayUseQueryString: true,
      limits: { concurrent: 2 },
      pinned: new Map([['project', 'abc']]),
    };
    expect(open(sentOf(good), key)).toEqual({
      principal: {
        ...key,
        mayBypassCache: false,
        mayExport: false,
        mayUseQueryString: false,
        endpoints: ['id-1'],
        expiresAt: NOW + DAY,
        via: 'link',
        signedBy: key,
      },
    });
    const endpoint = { ...ENDPOINT, settings: { sandboxing: 'disabled' as const, exports: {} } };
    const exporting = links.sign(spec({ endpoint, key, parameters: new Map([['export', '1']]) }));
    expect(open(sentOf(exporting), key)).toMatchObject({ principal: { mayExport: true } });
    expect(outcomeOf(open(sentOf(good), KEY, NOW + DAY - 1))).toBe('opened');
    expect(outcomeOf(open(sentOf(good), KEY, NOW + DAY))).toBe('expired');
  });

  it('ignores parameters that the endpoint does not declare', () => {
    expect(outcomeOf(open(sentOf(`${good}&utm_source=x&format=csv&api_key=y`)))).toBe('opened');
  });

  it.each([
    ['an additional parameter', `${good}&tier=FREE`],
    ['an additional empty parameter', `${good}&tier=`],
    ['SQL', `${good}&sql=SELECT+1`],
    ['a changed parameter', good.replace('abc', 'abd')],
    ['a removed parameter', good.replace('project=abc&', '')],
    ['a later expiry', good.replace('1779062400', '1779062401')],
    ['an expiry with a leading zero', good.replace('1779062400', '01779062400')],
    ['no expiry', good.replace('&link_expires=1779062400', '')],
    ['no key', good.replace('&link_key=sheet', '')],
    ['no signature', good.replace(/&link_signature=.*/, '&link_signature=')],
    ['a longer signature', `${good}A`],
  ])('is invalid with %s', (_what, url) => {
    expect(outcomeOf(open(sentOf(url)))).toBe('invalid');
  });

  it('is invalid with a repeated or undecodable parameter', () => {
    for (const project of [
      { text: 'abc', times: 2 },
      { text: undefined, times: 1 },
    ]) {
      expect(outcomeOf(open(new Map([...sentOf(good), ['project', project]])))).toBe('invalid');
    }
    for (const part of ['link_key', 'link_expires', 'link_signature']) {
      const sent = sentOf(good);
      sent.set(part, { text: sent.get(part)?.text ?? '', times: 2 });
      expect(outcomeOf(open(sent))).toBe('invalid');
    }
  });

  it('is rejected once its key is removed, recreated or restricted, and expires with the key', () => {
    expect(outcomeOf(links.open(ENDPOINT, sentOf(good), () => undefined, NOW))).toBe('invalid');
    expect(outcomeOf(open(sentOf(good), { ...KEY, created: '2026-02-02T00:00:00.000Z' }))).toBe('invalid');
    expect(outcomeOf(open(sentOf(good), { ...KEY, endpoints: ['usage.*'] }))).toBe('forbidden');
    const short = open(sentOf(good), { ...KEY, expiresAt: NOW + 5 });
    expect(short).toMatchObject({ principal: { expiresAt: NOW + 5 } });
  });

  it('is invalid for another endpoint, key or secret', () => {
    expect(outcomeOf(open(sentOf(good), KEY, NOW, { ...ENDPOINT, id: 'id-2' }))).toBe('invalid');
    const other = sentOf(good).set('link_key', { text: 'other', times: 1 });
    expect(outcomeOf(open(other, { ...KEY, name: 'other' }))).toBe('invalid');
    const elsewhere = new Links(`${SECRET}!`);
    expect(outcomeOf(elsewhere.open(ENDPOINT, sentOf(good), () => KEY, NOW))).toBe('invalid');
  });

  it('is valid for exactly the signed parameters, to the character', () => {
    const value = anyText().filter((text) => Buffer.from(text).toString() === text);
    const parameters = fc.dictionary(fc.constantFrom('project', 'tier', 'term'), value, { minKeys: 1 });
    fc.assert(
      fc.property(
        parameters,
        fc.nat(),
        value.filter((text) => text !== ''),
        (signed, at, extra) => {
          const sent = sentOf(links.sign(spec({ parameters: new Map(Object.entries(signed)) })));
          expect(outcomeOf(open(sent))).toBe('opened');
          const names = [...sent.keys()];
          const name = names[at % names.length] ?? '';
          const text = sent.get(name)?.text ?? '';
          const cut = at % (text.length + 1);
          const inserted = text.slice(0, cut) + extra + text.slice(cut);
          expect(outcomeOf(open(new Map(sent).set(name, { text: inserted, times: 1 })))).toBe('invalid');
          const replaced = text.slice(0, cut) + extra + text.slice(cut + 1);
          if (replaced !== text)
            expect(outcomeOf(open(new Map(sent).set(name, { text: replaced, times: 1 })))).toBe('invalid');
          sent.delete(name);
          expect(outcomeOf(open(sent))).toBe('invalid');
        },
      ),
    );
  });

  it('accepts only one spelling of its signature', () => {
    const sent = sentOf(good);
    const signature = sent.get('link_signature')?.text ?? '';
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const text = signature.slice(0, -1) + last;
      const opened = open(new Map(sent).set('link_signature', { text, times: 1 }));
      expect(outcomeOf(opened)).toBe(text === signature ? 'opened' : 'invalid');
    }
  });
});

describe('Links.sign', () => {
  it('adds the pinned parameters of the key', () => {
    const key = { ...KEY, pinned: new Map([['project', 'abc']]) };
    const url = links.sign(spec({ key, parameters: new Map([['tier', 'FREE']]) }));
    expect(url).toContain('?project=abc&tier=FREE&');
    expect(outcomeOf(open(sentOf(url), key))).toBe('opened');
  });

  it.each<[string, Partial<LinkSpec>, string]>([
    ['an undeclared parameter', { parameters: new Map([['x', '1']]) }, 'logs.all has no parameter "x".'],
    [
      'a misspelt parameter, with the name that was meant',
      { parameters: new Map([['projects', 'abc']]) },
      'logs.all has no parameter "projects"; did you mean project?',
    ],
    [
      'SQL for an endpoint without a sandbox',
      { parameters: new Map([['sql', 'SELECT 1']]) },
      'has no parameter "sql"',
    ],
    ['a lone surrogate', { parameters: new Map([['term', '\ud800']]) }, 'is not valid Unicode'],
    [
      'a value other than the pinned one',
      { key: { ...KEY, pinned: new Map([['project', 'x']]) } },
      'restricted to another project',
    ],
    [
      'an endpoint that the key may not call',
      { key: { ...KEY, endpoints: ['usage.*'] } },
      'may not call logs.all',
    ],
    ['an expired key', { key: { ...KEY, expiresAt: NOW } }, 'has expired'],
    [
      'an expiry that is not in the future',
      { expiresAtMs: NOW },
      'must be at least one second in the future',
    ],
    ['an invalid expiry', { expiresAtMs: NaN }, 'must be at least one second in the future'],
    ['too long a lifetime', { expiresAtMs: NOW + 90 * DAY + 1 }, 'can last at most 90 days'],
  ])('rejects %s', (_what, changes, message) => {
    expect(() => links.sign(spec(changes))).toThrow(message);
  });

  it('accepts SQL for a sandboxed endpoint', () => {
    const endpoint = { ...ENDPOINT, settings: { sandboxing: 'enabled' as const } };
    const url = links.sign(spec({ endpoint, parameters: new Map([['sql', 'SELECT 1']]) }));
    expect(outcomeOf(open(sentOf(url), KEY, NOW, endpoint))).toBe('opened');
    expect(outcomeOf(open(sentOf(url.replace('SELECT+1', 'SELECT+2')), KEY, NOW, endpoint))).toBe('invalid');
  });

  it('requires a secret of 32 bytes and never prints it', () => {
    expect(() => new Links('x'.repeat(31))).toThrow('LINK_SECRET has 31 bytes and must have at least 32');
    expect(() => new Links('x'.repeat(31))).not.toThrow(/xxx/);
    expect(inspect(links, { depth: 9, showHidden: true }) + JSON.stringify(links)).not.toContain(SECRET);
  });
});

describe('a link of an endpoint with a secret parameter', () => {
  const parameters = new Map([
    ['project', { secret: true as const }],
    ['tier', {}],
  ]);
  const endpoint = { ...ENDPOINT, parameters };
  const problem = 'The value of project is secret: send it in the body of a POST, not in a link.';

  it('is not signed with its value, neither as given nor as pinned by the key', () => {
    expect(() => links.sign(spec({ endpoint }))).toThrow(problem);
    const key: Principal = { ...KEY, pinned: new Map([['project', 'abc']]) };
    expect(() => links.sign(spec({ endpoint, key, parameters: new Map() }))).toThrow(problem);
    expect(links.sign(spec({ endpoint, parameters: new Map([['tier', 'a']]) }))).toContain('tier=a');
  });

  it('is invalid with its value, also if it was signed before the parameter became secret', () => {
    const signed = sentOf(links.sign(spec()));
    const find = (): Principal => KEY;
    expect(outcomeOf(links.open(ENDPOINT, signed, find, NOW))).toBe('opened');
    expect(outcomeOf(links.open(endpoint, signed, find, NOW))).toBe('invalid');
  });
});
