// After an installation: takes away what came along and nothing here uses, 65 MB of Node.js' headers and manuals, and 5 MB of maps to
// sources that did not come along, and 6 MB of other builds of libheif. Plain JavaScript for any Node.js; where it may not, all stays as it is.
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const { resolve } = createRequire(import.meta.url);

leaveOut(() => {
  const folder = dirname(resolve(`node-${platform}-${process.arch}/package.json`));
  return ['include', 'share'].map((unused) => join(folder, unused));
});
for (const name of ['server', 'core'])
  leaveOut(() => {
    const folder = dirname(resolve(`@modelcontextprotocol/${name}`));
    const maps = readdirSync(folder).filter((file) => file.endsWith('.map'));
    return maps.map((file) => join(folder, file));
  });
leaveOut(() => {
  const folder = dirname(resolve('libheif-js'));
  const others = ['libheif.js', 'libheif.wasm', 'libheif-bundle.mjs'].map((file) => join(folder, 'libheif-wasm', file));
  return [join(folder, 'libheif'), ...others];
});

function leaveOut(findUnused) {
  try {
    for (const unused of findUnused()) rmSync(unused, { recursive: true, force: true });
  } catch (error) {
    // Installed without it, or for somebody else to change.
    if (!['MODULE_NOT_FOUND', 'EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}
