import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The file of a build that lists the packages which its modules, styles and fonts come from: `name@version`, sorted. */
export const PACKAGES = 'packages.json';

/** Up to the last package folder of the path: a package may have other packages below it. */
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Writes `PACKAGES` into the build, for the SBOM: the lockfile has these packages as development dependencies only. */
export function listPackages(): Plugin {
  return {
    name: 'list-packages',
    generateBundle() {
      // Also modules that the bundler has shaken off: it may have moved a constant of one into another.
      const modules = [...this.getModuleIds()];
      const folders = new Set(modules.flatMap((id) => PACKAGE_FOLDER.exec(id.replaceAll('\\', '/'))?.[0] ?? []));
      const source = JSON.stringify([...folders].map(nameOf).toSorted(), undefined, 2);
      this.emitFile({ type: 'asset', fileName: PACKAGES, source: `${source}\n` });
    },
  };
}

function nameOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder.replace(/^\0/, ''), 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return `${name}@${version}`;
}
