import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type TestApp } from '../support/app.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const succeeds = (...words: string[]) => spawnSync('python3', words).status === 0;
const hasPython = succeeds('-c', 'import sys; sys.exit(sys.version_info < (3, 11))');
const hasPip = hasPython && succeeds('-m', 'pip', '--version');

/** Signs up a user, sends a campaign to all groups and waits for its end. */
const PROGRAM = `
import json, sys
from importlib import metadata, resources
import campanile
url, password, name = sys.argv[1:]
visitor = campanile.Campanile(url)
visitor.create_user(first_name=name, last_name="", user_name=name, email=name + "@example.com", phone_number="+49 151 1234567",
                    whatsapp_number="+49 151 1234567", password=password)
mine = visitor.with_token(visitor.authorize_user(user_name=name, password=password)["token"])
ids = [group["group_metadata_id"] for group in mine.call("venom/list-groups")["groups"]]
sent = mine.add_campaign(name="Fair", html="<b>Nine</b>", group_metadata_ids=ids, is_schedule=False)
for event in mine.events():
    if event.event == "campaign" and event.data["status"] == "completed":
        break
package = metadata.metadata("campanile-client")
print(json.dumps({
    "sent": event.data["progress"]["sent"],
    "typed": resources.files(campanile).joinpath("py.typed").is_file(),
    "version": package["Version"],
    "license": package["License-Expression"],
    "requires": metadata.requires("campanile-client"),
    "readme": package.get_payload().startswith("# Campanile for Python") or package["Description"],
}))`;

describe.skipIf(!hasPython)('the packages of the Python client', () => {
  let folder: string;
  let app: TestApp;
  let sdist: string;
  let wheel: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'campanile-python-'));
    app = await startTestApp();
    const source = join(folder, 'source');
    cpSync(join(ROOT, 'clients/python'), source, { recursive: true });
    const { stdout } = await run('python3', [join(source, 'build_backend.py'), folder]);
    [sdist = '', wheel = ''] = stdout
      .trim()
      .split('\n')
      .map((name) => join(folder, name));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.stop();
  });

  /** Runs the program in an empty folder with nothing but \`path\` to import from. */
  async function useClient(path: string, name: string): Promise<unknown> {
    const home = join(folder, `home-${name}`);
    mkdirSync(home);
    const { stdout } = await run('python3', ['-S', '-c', PROGRAM, app.url, PASSWORD, name], {
      cwd: home,
      env: { PATH: process.env['PATH'], PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' },
      timeout: PATIENCE_MS,
    });
    return JSON.parse(stdout);
  }

  /** Installs a package as pip does it on a machine without a network. Returns the folder. */
  async function install(file: string): Promise<string> {
    const target = join(folder, `installed-${file.endsWith('.whl') ? 'wheel' : 'sdist'}`);
    const words = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--no-cache-dir', '--target', target, file];
    await run('python3', words, { cwd: folder });
    return target;
  }

  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const ofPackage = { version: version.replace('-dev', '.dev0') };
  const expected = { sent: 3, typed: true, ...ofPackage, license: 'Apache-2.0', requires: null, readme: true };

  test('the wheel sends a campaign without an installation', async () => {
    expect(await useClient(wheel, 'alice')).toEqual(expected);
  });

  test.skipIf(!hasPip)('the installed wheel sends a campaign', async () => {
    expect(await useClient(await install(wheel), 'bob')).toEqual(expected);
  });

  test.skipIf(!hasPip)('the installed source distribution sends a campaign', async () => {
    expect(await useClient(await install(sdist), 'carol')).toEqual(expected);
  });

  test('the licence is in both', async () => {
    const licence = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    const program = `
import sys, tarfile, zipfile
name = sys.argv[1].rsplit("/", 1)[1].removesuffix(".tar.gz")
sys.stdout.write(tarfile.open(sys.argv[1]).extractfile(name + "/LICENSE").read().decode())
sys.stdout.write(zipfile.ZipFile(sys.argv[2]).read(name + ".dist-info/licenses/LICENSE").decode())`;
    expect((await run('python3', ['-c', program, sdist, wheel])).stdout).toBe(licence + licence);
  });
});
