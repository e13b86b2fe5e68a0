import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the code: `dist/` of the package, or `src/` where the gateway runs from its sources. */
const CODE_FOLDER = path.dirname(fileURLToPath(import.meta.url));

/** Folder of the package, with its package.json. */
export const PACKAGE_FOLDER = nearestPackage(CODE_FOLDER);

/** The gateway's package.json. */
export const PACKAGE_FILE = path.join(PACKAGE_FOLDER, 'package.json');

/** Folder of the built console; undefined where the gateway runs from its sources. */
export const CONSOLE_FOLDER = ifExists(path.join(CODE_FOLDER, 'console'));

/** Folder of Swagger UI's files: the npm package where the gateway runs from its sources. */
export const SWAGGER_UI_FOLDER =
  ifExists(path.join(CODE_FOLDER, 'swagger-ui')) ??
  path.join(PACKAGE_FOLDER, 'node_modules', 'swagger-ui-dist');

/** The gateway's version, from package.json. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { readonly version: string }).version;
}

/** The package of MCP, an optional dependency. */
export const MCP_PACKAGE = '@modelcontextprotocol/server';

/** The command that installs it. */
export function mcpInstallation(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  return `npm install --omit=optional ${MCP_PACKAGE}@${String(optionalDependencies[MCP_PACKAGE])} (in a checkout: npm ci)`;
}

function ifExists(folder: string): string | undefined {
  return existsSync(folder) ? folder : undefined;
}

function nearestPackage(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : nearestPackage(path.dirname(folder));
}
