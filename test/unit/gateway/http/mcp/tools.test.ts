import type { Principal } from '../../../../../src/gateway/auth/principal.js';
import { EndpointRegistry } from '../../../../../src/endpoint/registry.js';
import type { McpCaller } from '../../../../../src/gateway/http/mcp/mcp-caller.js';
import { toolName, Tools } from '../../../../../src/gateway/http/mcp/tools.js';
import { sampleEndpoint } from '../../../../support/sample-endpoint.js';

const ENDPOINT = sampleEndpoint({ name: 'city.by-day' });
const tools = new Tools(new EndpointRegistry([ENDPOINT]), 'iso');
const listedFor = (principal: Partial<Principal>) => {
  const caller = { principal: { name: 'key', mayBypassCache: false, ...principal }, tags: undefined };
  return tools.list(caller as unknown as McpCaller, undefined).tools[0];
};

it('makes a tool once for all keys that pin the same parameters', () => {
  const rome = new Map([['city', 'Rome']]);
  const oslo = new Map([['city', 'Oslo']]);
  expect(listedFor({ pinned: rome })).toBe(listedFor({ name: 'other', pinned: oslo }));
  expect(listedFor({})).toBe(listedFor({ name: 'other' }));
  expect(listedFor({})).not.toBe(listedFor({ pinned: rome }));
});

it('gives no two endpoints one name: a name with an underscore stops the start', () => {
  expect(toolName(ENDPOINT)).toBe('city_by-day');
  expect(() => sampleEndpoint({ name: 'city_by-day' })).toThrow('name');
});
