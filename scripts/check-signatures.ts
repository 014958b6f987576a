/** Asks the registry whether each package is what its author published: `npx node scripts/check-signatures.ts`. */
import { spawnSync } from 'node:child_process';
import { z } from 'zod';

const packages = z.array(z.object({ name: z.string(), version: z.string() }));
const verdict = z.object({ invalid: packages, missing: packages });
const refusal = z.object({ error: z.object({ code: z.string().nullish(), summary: z.string() }) });

/** npm's messages when the registry does not answer, or has no keys to check signatures with. */
const SILENT =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|E40[34]|E50\d|TUF_|fetch|network|socket|supported registry/i;

/** What `npm audit signatures --json` came to: a sentence, and whether a release may go on. */
export function assessSignatures(said: string): { sentence: string; isGood: boolean } {
  const checked = verdict.safeParse(parsed(said));
  if (checked.success) {
    const { invalid, missing } = checked.data;
    if (invalid.length + missing.length === 0)
      return { sentence: 'Every package is signed as the registry has it.', isGood: true };
    const names = [...invalid, ...missing].map(({ name, version }) => `${name}@${version}`).join(', ');
    return {
      sentence: `${invalid.length} signatures are wrong and ${missing.length} are missing: ${names}`,
      isGood: false,
    };
  }
  const refused = refusal.safeParse(parsed(said));
  const reason = refused.success
    ? `${refused.data.error.code ?? ''} ${refused.data.error.summary}`.trim()
    : said.trim();
  if (SILENT.test(reason))
    return {
      sentence: `No signature was checked, since the registry does not answer that: ${firstLine(reason)}`,
      isGood: true,
    };
  return { sentence: `The signatures could not be checked: ${firstLine(reason) || 'npm says nothing'}`, isGood: false };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // npm also says things that are no JSON, which are then taken as they are.
    return undefined;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

if (import.meta.main) {
  const { stdout, stderr } = spawnSync('npm', ['audit', 'signatures', '--json', '--fetch-retries=1'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // On Windows npm is a script of the shell's.
    shell: process.platform === 'win32',
  });
  const { sentence, isGood } = assessSignatures(stdout || stderr);
  (isGood ? process.stdout : process.stderr).write(`${sentence}\n`);
  process.exitCode = isGood ? 0 : 1;
}
