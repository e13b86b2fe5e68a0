import path from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { ConfigMap, PodTemplateSpec, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parseAllDocuments } from 'yaml';

import { deployFiles } from '../../src/commands/cli/project/deploy-files.js';
import type { ProjectFile } from '../../src/commands/cli/project/write-new-file.js';
import { ROOT } from './documentation.js';

const FOLDER = 'deploy/kubernetes';
/** A small project. */
const PROJECT = path.join(ROOT, 'test/support/kubernetes-project');

interface ByKind {
  ConfigMap: ConfigMap;
  Deployment: Deployment;
  Job: Job;
  NetworkPolicy: NetworkPolicy;
  PodDisruptionBudget: PodDisruptionBudget;
  Secret: Secret;
  Service: Service;
}

type Kind = keyof ByKind;

/** An object of a manifest, not yet checked. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly content: unknown;
}

/** The objects that `querygate init --deploy kubernetes` writes for a small project, with those of the examples of Secrets. */
export class Manifests {
  private constructor(readonly all: readonly Manifest[]) {}

  /** @param project its folder. @param edit what an operator changes in each file */
  static async read(project = PROJECT, edit = (text: string) => text): Promise<Manifests> {
    const written = await deployFiles('kubernetes', project);
    const files = written.map(({ path: file, text }) => ({ path: file, text: edit(text) }));
    return new Manifests(files.filter(({ path: file }) => file.includes('.yaml')).flatMap(manifestsIn));
  }

  ofKind<K extends Kind>(kind: K): readonly ByKind[K][] {
    return this.all.filter((manifest) => manifest.kind === kind).map(({ content }) => content as ByKind[K]);
  }

  /** @throws Error where there is no such object. */
  named<K extends Kind>(kind: K, name: string | undefined): ByKind[K] {
    const found = this.ofKind(kind).find(({ metadata }) => metadata?.name === name);
    if (!found) throw new Error(`${FOLDER} has no ${kind} ${name ?? 'without a name'}`);
    return found;
  }

  /** The pods of the Deployments and Jobs, by the name of their first container. */
  pods(): ReadonlyMap<string, PodTemplateSpec> {
    const templates = [...this.ofKind('Deployment'), ...this.ofKind('Job')].map(({ spec }) => spec?.template);
    return new Map(templates.map((template = {}) => [template.spec?.containers[0]?.name ?? '', template]));
  }

  /** The files that a volume of a ConfigMap has, by their path. @throws Error where an item names no key */
  filesOf(pod: string, volumeName: string): Readonly<Record<string, string>> {
    const volumes = this.pods().get(pod)?.spec?.volumes ?? [];
    const { name, items } = volumes.find((volume) => volume.name === volumeName)?.configMap ?? {};
    const { data = {} } = this.named('ConfigMap', name);
    const listed = items ?? Object.keys(data).map((key) => ({ key, path: key }));
    return Object.fromEntries(
      listed.map(({ key, path: file }) => {
        const { [key]: text } = data;
        if (text === undefined) throw new Error(`${name ?? ''} has no key ${key}`);
        return [file, text];
      }),
    );
  }

  /** The names in a ConfigMap or a Secret. @throws Error where there is no such object. */
  keysOf(kind: 'ConfigMap' | 'Secret', name: string | undefined): readonly string[] {
    const data = kind === 'Secret' ? this.named(kind, name).stringData : this.named(kind, name).data;
    return Object.keys(data ?? {});
  }
}

function manifestsIn({ path: file, text }: ProjectFile): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    const content = document.toJS() as Omit<Manifest, 'file' | 'content'>;
    return {
      file: path.basename(file),
      apiVersion: content.apiVersion,
      kind: content.kind,
      metadata: content.metadata,
      content,
    };
  });
}
