/** The SBOM lists every package whose code is in the server or in the built dashboard. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { makeSbom, readBundled } from '../../release/write-sbom.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
});
const Names = z.record(z.string(), z.string());
const Package = z.object({ dependencies: Names, optionalDependencies: Names });
const { packages } = Lockfile.parse(JSON.parse(read('package-lock.json')));

let sbom: ReturnType<typeof makeSbom>;
let refs: string[];
beforeAll(() => {
  sbom = makeSbom(readBundled());
  refs = sbom.components.map((one) => one['bom-ref']);
});

const versionOf = (name: string) => `${name}@${packages[`node_modules/${name}`]?.version}`;

/** Returns the packages that the dashboard's modules and styles import, as `name@version`. */
function readImports(): string[] {
  const files = globSync('web/**/*.{ts,tsx,css}', { cwd: ROOT, exclude: ['web/dist*/**', 'web/*.ts'] });
  const imports = files.flatMap((path) =>
    [
      ...read(path).matchAll(/^(?:(?:import|export|\}) (?!type)[^;'"]*\bfrom|import|@import) ['"]([^.'"][^'"]*)['"]/gm),
    ].map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''),
  );
  const names = [...new Set(imports)].filter((name) => `node_modules/${name}` in packages);
  return names.map(versionOf);
}

test('lists every package that an installation has', () => {
  const direct = Package.parse(JSON.parse(read('package.json')));
  const names = Object.keys({ ...direct.dependencies, ...direct.optionalDependencies });
  expect(names.length).toBeGreaterThan(40);
  // The second is a dependency of Baileys, and the third of tar.
  const all = [...names, 'libsignal', 'minizlib'].map(versionOf);
  expect(all.filter((ref) => !refs.includes(ref))).toEqual([]);
});

test('lists every package that the dashboard imports, and their bundled dependencies', () => {
  const imported = readImports();
  expect(imported.length).toBeGreaterThan(10);
  // The fonts are imported by a style, scheduler by react-dom, prosemirror-model by Tiptap.
  const others = ['@fontsource-variable/inter', 'scheduler', 'prosemirror-model', 'd3-scale'].map(versionOf);
  expect([...imported, ...others].filter((ref) => !refs.includes(ref))).toEqual([]);
});

test('lists no tool of the development, and names the package and its dependencies', () => {
  expect(refs.filter((ref) => /^(?:vite|vitest|typescript|oxlint|playwright-core)@/.test(ref))).toEqual([]);
  expect(new Set(refs).size).toBe(refs.length);
  expect(sbom.metadata.component).toMatchObject({ name: 'campanile' });
  const known = new Set([...refs, sbom.metadata.component['bom-ref']]);
  expect(
    sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
  ).toEqual([]);
});

test('fails for a dashboard with a package that the lockfile lacks', () => {
  expect(() => makeSbom(['left-pad@1.3.0'])).toThrow(/^package-lock\.json lacks left-pad@1\.3\.0/);
});
