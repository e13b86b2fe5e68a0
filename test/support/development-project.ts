import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface WrittenEndpoint {
  /** An expression of its query. */
  readonly value?: string;
  /** Lines of its header, before those of `page`. */
  readonly parameters?: string;
  /** Optional parts of its query. */
  readonly optional?: string;
}

/** A project whose endpoint files a test writes while a gateway serves them. */
export class DevelopmentProject {
  private endpoints = '';
  private readonly ids = new Map<string, string>();

  /** @param names of the first endpoints. */
  async createIn(folder: string, ...names: readonly string[]): Promise<void> {
    this.endpoints = path.join(folder, 'endpoints');
    await mkdir(this.endpoints, { recursive: true });
    for (const name of names) await this.write(name);
  }

  /** Writes an endpoint with the parameter `page` and a value. */
  async write(
    name: string,
    { value = '1', parameters = '', optional = '' }: WrittenEndpoint = {},
  ): Promise<void> {
    const id = this.ids.get(name) ?? crypto.randomUUID();
    this.ids.set(name, id);
    await this.writeText(
      name,
      `/*
name: ${name}
id: ${id}
summary: Returns the page and ${value}.
parameters:
${parameters}  page: { kind: string, required: true, maxLength: 20, description: A page. }
columns: { page: String, value: String }
example: { page: /home }
*/
SELECT @page AS page, toString(${value}) AS value WHERE 1 ${optional}
`,
    );
  }

  async writeText(name: string, text: string): Promise<void> {
    await writeFile(this.fileOf(name), text);
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
  }

  /** The path of an endpoint's file. */
  fileOf(name: string): string {
    return path.join(this.endpoints, `${name}.sql`);
  }
}
