import { parseArgs } from 'node:util';
import type { Actor } from '../audit/record-audit.ts';
import { readPassphrase } from '../backup/secrets-box.ts';
import { exportWorkspace, findBelongings } from '../cells/export-workspace.ts';
import { importWorkspace } from '../cells/import-workspace.ts';
import { takeBack } from '../cells/leave.ts';
import { StartupError, UsageError } from '../lib/errors.ts';
import { createVault, type Vault } from '../lib/vault.ts';
import { loadSecrets } from '../secrets/load-secrets.ts';
import { cellOf } from './cell.ts';
import { actorFor, COMMAND_LINE, requireUser } from './open-users.ts';
import type { Shell } from './shell.ts';
import { withDatabase, type Opened } from './with-database.ts';
import { connectDatabase, type Database } from '../database/connect.ts';
import { createLog } from '../lib/log.ts';

/** `campanile workspace …`. Throws a UsageError for words it does not take, a StartupError for whatever the operator has to change. */
export async function workspace({ given, output }: Shell): Promise<number> {
  const [word, ...rest] = given;
  const { words, to, passphraseFile, isSure } = readGiven(rest);
  const [first, second] = words;
  if (word === 'export' && first !== undefined && second !== undefined && words.length === 2)
    output.write(`${await takeOut(first, { file: second, toCell: cellOf(to), passphraseFile })}\n`);
  else if (word === 'import' && first !== undefined && words.length === 1)
    output.write(`${await putIn(first, passphraseFile)}\n`);
  else if (word === 'take-back' && first !== undefined && words.length === 1)
    output.write(`${await putBack(first, isSure)}\n`);
  else throw new UsageError('Say what to do with which workspace');
  return 0;
}

interface Given {
  words: string[];
  to: string | undefined;
  passphraseFile: string | undefined;
  isSure: boolean;
}

function readGiven(args: readonly string[]): Given {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        'passphrase-file': { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    });
    return { words: positionals, to: values.to, passphraseFile: values['passphrase-file'], isSure: values.yes };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function takeOut(
  name: string,
  { file, toCell, passphraseFile }: { file: string; toCell: number; passphraseFile: string | undefined },
): Promise<string> {
  const passphrase = await requirePassphrase(passphraseFile);
  return withDatabase(async (opened) => {
    const actor = await findActor(opened, name);
    const { rows } = await withPatience(opened, (deps) => exportWorkspace(deps, actor, { toCell, file, passphrase }));
    return (
      `${file} holds the workspace of ${actor.userName}, ${rows} rows. Here it sends nothing any more and takes no requests: ` +
      `import it in cell ${toCell}, and lead its requests there`
    );
  });
}

async function putIn(file: string, passphraseFile: string | undefined): Promise<string> {
  const passphrase = await requirePassphrase(passphraseFile);
  return withDatabase(async (opened) => {
    const given = { file, passphrase, address: COMMAND_LINE };
    const { userName, rows } = await withPatience(opened, (deps) => importWorkspace(deps, given));
    return `The workspace of ${userName} is here, ${rows} rows, and goes on. Everybody signs in anew; API keys hold`;
  });
}

async function putBack(name: string, isSure: boolean): Promise<string> {
  return withDatabase(async (opened) => {
    const actor = await findActor(opened, name);
    if (!isSure)
      throw new StartupError(
        'If it was imported, or ever is, everything queued is sent twice: destroy the file, then add --yes',
      );
    await takeBack(opened.db, actor, await findBelongings(opened.db, actor.workspaceId));
    return `The workspace of ${actor.userName} goes on here. Its file must never be imported`;
  });
}

async function findActor({ db }: Opened, name: string): Promise<Actor & { userName: string }> {
  const user = await requireUser({ db }, name);
  return { ...actorFor(user), userName: user.userName };
}

/** A statement about all of a workspace rightly takes long. */
async function withPatience<Result>(
  { config, address }: Opened,
  use: (deps: { db: Database; vault: Vault }) => Promise<Result>,
): Promise<Result> {
  const log = createLog('fatal');
  const { encryptionKey } = await loadSecrets({ config, address, log });
  const vault = createVault({ key: encryptionKey, previousKey: config.encryptionKeyPrevious });
  const db = connectDatabase(address, { log, name: 'campanile move', poolSize: 1, silenceMs: Infinity });
  try {
    return await use({ db, vault });
  } finally {
    await db.destroy();
  }
}

async function requirePassphrase(file: string | undefined): Promise<string> {
  if (file === undefined) throw new UsageError('Secrets travel sealed: say --passphrase-file');
  return readPassphrase(file);
}
