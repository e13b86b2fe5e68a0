// Runs the npm commands of the image's production dependencies as the Dockerfile has them, outside of Docker, and checks that the
// optional packages which an image must have are there, and the embedded ClickHouse is not.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [, stage = ''] =
  /^FROM manifest AS production-dependencies\n([\s\S]*?)^FROM /m.exec(readFileSync('Dockerfile', 'utf8')) ??
  [];
const commands = [...stage.replaceAll('\\\n', ' ').matchAll(/^RUN (?:--mount=\S+ +)?(.*)$/gm)].map(
  ([, command]) => command,
);
const { peerDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const optional = Object.keys(optionalDependencies);
const wanted = [
  ...Object.keys(peerDependencies),
  ...optional.filter((name) => name.startsWith('@modelcontextprotocol/')),
];
const unwanted = optional.filter((name) => !wanted.includes(name));

const folder = mkdtempSync(path.join(tmpdir(), 'querygate-image-'));
try {
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(file, path.join(folder, file));
  for (const command of commands) execFileSync('sh', ['-ec', command], { cwd: folder, stdio: 'inherit' });
  const has = (name) => existsSync(path.join(folder, 'node_modules', name, 'package.json'));
  const problems = [
    ...(commands.length === 2 ? [] : [`the stage has ${commands.length} commands instead of 2`]),
    ...wanted.filter((name) => !has(name)).map((name) => `${name} is missing`),
    ...unwanted.filter(has).map((name) => `${name} must not be there`),
  ];
  if (problems.length > 0) throw new Error(`the image's packages: ${problems.join('; ')}`);
  console.log(`${wanted.join(', ')} are there`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
