import { access } from 'node:fs/promises';
import path from 'node:path';

import { documentationPages, ROOT, textOf } from '../../support/documentation.js';

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...(await documentationPages())];

const withoutCode = (page: string): string => page.replaceAll(/^ *```.*?^ *```$/gms, '');

/** The anchors of a page's headings, as GitHub generates them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

async function isBroken(page: string, link: string): Promise<boolean> {
  const [file = '', anchor] = link.split('#', 2);
  const target = file === '' ? page : path.join(path.dirname(page), file);
  try {
    await access(path.join(ROOT, target));
  } catch {
    return true;
  }
  return anchor !== undefined && !anchorsOf(await textOf(target)).has(anchor);
}

describe('documentation', () => {
  it.each(PAGES)('%s has no broken link to a file or heading', async (page) => {
    const links = [...withoutCode(await textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link));
    const broken = await Promise.all(links.map(async (link) => ((await isBroken(page, link)) ? [link] : [])));
    expect(broken.flat()).toEqual([]);
  });
});
