import { rowsIn } from '../../support/network-request.js';
import { REVISIONS } from '../../support/mcp-client.js';
import { useMcpShop } from '../../support/mcp-shop.js';

const shop = useMcpShop();

describe.each(REVISIONS)('resources, in the revision %s', (revision) => {
  it('are the endpoints that the key may call', async () => {
    const { resources } = await (await shop.connect('all', revision)).listResources();
    expect(resources).toMatchObject([
      { uri: 'querygate://endpoints/sample', name: 'sample', mimeType: 'application/json' },
      { uri: 'querygate://endpoints/shop.daily-orders', description: 'Orders of a day.' },
    ]);
    const { resources: few } = await (await shop.connect('few', revision)).listResources();
    expect(few.map(({ name }) => name)).toEqual(['sample']);
  });

  it('are those with one of the tags in the URL', async () => {
    const { resources } = await (await shop.connect('all', revision, '?tag=shop')).listResources();
    expect(resources.map(({ name }) => name)).toEqual(['shop.daily-orders']);
  });

  it('have the catalogue’s description of the endpoint, for the same key', async () => {
    const catalogue = await shop.gateway.send('rome', '/api/endpoints');
    const client = await shop.connect('rome', revision);
    const uri = 'querygate://endpoints/shop.daily-orders';
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
    const { text } = contents[0] as { readonly text: string };
    // Without the value of the pinned parameter.
    const pinned = JSON.stringify({ pinned: { value: 'rome' } }).slice(1, -1);
    expect(JSON.stringify(rowsIn(catalogue)[0])).toContain(pinned);
    const shown = JSON.stringify(rowsIn(catalogue)[0]).replace(pinned, '"pinned":{}');
    expect(JSON.parse(text)).toEqual(JSON.parse(shown));
    expect(JSON.parse(text)).toMatchObject({ caching: 60, warming: 0, query: expect.anything() as unknown });
  });

  it.each([
    'querygate://endpoints/nothing',
    'querygate://endpoints/',
    'querygate://endpoints/__proto__',
    'file:///etc/passwd',
    '',
  ])('are none of the URI %j', async (uri) => {
    const client = await shop.connect('all', revision);
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  it('of endpoints that the key may not call do not exist for it', async () => {
    const client = await shop.connect('few', revision);
    const uri = 'querygate://endpoints/shop.daily-orders';
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  it('have a template', async () => {
    const { resourceTemplates } = await (await shop.connect('all', revision)).listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'querygate://endpoints/{name}' }]);
  });
});
