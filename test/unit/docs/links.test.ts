import { documentationPages, ROOT } from '../../support/documentation.js';
import { brokenLinks } from '../../support/links.js';

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...(await documentationPages())];

describe('documentation', () => {
  it.each(PAGES)('%s has no broken link to a file or heading', async (page) => {
    expect(await brokenLinks(ROOT, page)).toEqual([]);
  });
});
