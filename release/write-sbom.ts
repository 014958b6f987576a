/**
 * Writes the software bill of materials (SBOM, CycloneDX) into a file: `node release/write-sbom.ts FILE`. It lists the packages that an
 * installation downloads, and the packages whose code the built dashboard contains. The build has to be there: `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BUILD_FOLDER } from '../web/freshness.ts';
import { PACKAGES } from '../web/list-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const Component = z.looseObject({ 'bom-ref': z.string() });
const Sbom = z.looseObject({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
type Sbom = z.infer<typeof Sbom>;
const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().default(false) })),
});
const MODULES = 'node_modules/';

/** Returns the packages that the built dashboard contains, as `name@version`. */
export function readBundled(): string[] {
  return z.array(z.string()).parse(JSON.parse(readFileSync(join(BUILD_FOLDER, PACKAGES), 'utf8')));
}

/** Returns the SBOM of the lockfile and of the built dashboard. Throws when the dashboard has a package that the lockfile lacks. */
export function makeSbom(bundled: readonly string[]): Sbom {
  const all = runNpm();
  const known = new Set(all.components.map((one) => one['bom-ref']));
  const unknown = bundled.filter((ref) => !known.has(ref));
  if (unknown.length > 0) throw new Error(`package-lock.json lacks ${unknown.join(', ')}: run "npm run build"`);
  const installed = new Set(readInstalled());
  const refs = new Set([...installed, ...bundled]);
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { name: string };
  const root = all.metadata.component['bom-ref'];
  return {
    ...all,
    // npm calls it after its folder.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name } },
    components: all.components
      .filter((one) => refs.has(one['bom-ref']))
      // A bundled package is a development dependency of the lockfile, and a part of the product.
      .map((one) => (installed.has(one['bom-ref']) ? one : { ...one, scope: 'required', properties: BUNDLED })),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === root || refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

const BUNDLED = [{ name: 'campanile:bundled', value: 'dashboard' }];

/**
 * Returns the packages that an installation may download, for any platform. `npm sbom --omit dev` lacks packages that the development
 * uses in the same version, too.
 */
function readInstalled(): string[] {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf(MODULES) + MODULES.length)}@${version}`);
}

function runNpm(): Sbom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  return Sbom.parse(JSON.parse(text));
}

if (import.meta.main) {
  const file = process.argv[2];
  if (file === undefined) throw new Error('Expected the file to write');
  const sbom = makeSbom(readBundled());
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  process.stdout.write(`${file}: ${sbom.components.length} packages\n`);
}
