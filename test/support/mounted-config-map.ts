import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';

import { writeFiles } from './project-folder.js';

/**
 * A ConfigMap or Secret as kubelet mounts it: the files are in a folder `..TIME`, `..data` links to this folder, and each
 * file's name, or the first folder of its path, links into `..data`. A change replaces `..data` alone, so that all files change at once.
 * (`pkg/volume/util/atomic_writer.go` of Kubernetes.)
 */
export class MountedConfigMap {
  private constructor(
    readonly folder: string,
    private version: number,
  ) {}

  static async mount(folder: string, data: Readonly<Record<string, string>>): Promise<MountedConfigMap> {
    await mkdir(folder, { recursive: true });
    const mounted = new MountedConfigMap(folder, 0);
    await mounted.change(data);
    const names = new Set(Object.keys(data).map((file) => file.replace(/\/.*/, '')));
    for (const name of names) await symlink(`..data/${name}`, path.join(folder, name));
    return mounted;
  }

  /** @param data the same names as before. */
  async change(data: Readonly<Record<string, string>>): Promise<void> {
    const previous = path.join(this.folder, `..${this.version}`);
    this.version += 1;
    const next = path.join(this.folder, `..${this.version}`);
    await writeFiles(next, data);
    await symlink(path.basename(next), path.join(this.folder, '..data_tmp'));
    await rename(path.join(this.folder, '..data_tmp'), path.join(this.folder, '..data'));
    await rm(previous, { recursive: true, force: true });
  }
}
