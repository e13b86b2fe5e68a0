import { access, readFile } from 'node:fs/promises';
import path from 'node:path';

const withoutCode = (page: string): string => page.replaceAll(/^ *```.*?^ *```$/gms, '');

/** The links of a page to files and headings that are not there. @param page its path in the folder `root` */
export async function brokenLinks(root: string, page: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, page), 'utf8');
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
  const broken = await Promise.all(
    links.map(async (link) => ((await isBroken(root, page, link)) ? [link] : [])),
  );
  return broken.flat();
}

async function isBroken(root: string, page: string, link: string): Promise<boolean> {
  const [file = '', anchor] = link.split('#', 2);
  const target = path.join(root, file === '' ? page : path.join(path.dirname(page), file));
  try {
    await access(target);
  } catch {
    return true;
  }
  return anchor !== undefined && !anchorsOf(await readFile(target, 'utf8')).has(anchor);
}

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
