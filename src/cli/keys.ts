import { StartupError, UsageError } from '../platform/errors/errors.ts';
import { selectApiKeys } from '../identity/api-keys/api-key-store.ts';
import { revokeApiKey } from '../identity/api-keys/revoke-api-key.ts';
import { actorFor, requireUser, withUsers } from './open-users.ts';
import type { Shell } from './shell.ts';
import { writeTable } from './write-table.ts';

/** `campanile keys …`: a user's API keys, without the keys themselves. */
export async function keys({ given, output }: Shell): Promise<number> {
  const [word, name, id, more] = given;
  if (name === undefined || more !== undefined) throw new UsageError('Expected a user name or an e-mail address');
  if (word === 'list' && id === undefined) await list(name, output);
  else if (word === 'revoke' && id !== undefined) await revoke(name, id, output);
  else throw new UsageError('Expected "list NAME" or "revoke NAME ID"');
  return 0;
}

async function list(name: string, output: NodeJS.WritableStream): Promise<void> {
  const found = await withUsers(async (deps) => selectApiKeys(deps.db, (await requireUser(deps, name)).workspaceId));
  writeTable(
    output,
    ['id', 'name', 'begins with', 'scopes', 'expires', 'last used'],
    found.map(({ apiKeyId, name, prefix, scopes, expiresAt, lastUsedAt }) => [
      String(apiKeyId),
      name,
      prefix,
      scopes.join(','),
      expiresAt?.toISOString() ?? 'never',
      lastUsedAt?.toISOString() ?? 'never',
    ]),
  );
}

async function revoke(name: string, id: string, output: NodeJS.WritableStream): Promise<void> {
  if (!/^\d{1,15}$/.test(id))
    throw new StartupError(`${id} is not the id of an API key. List the ids with "keys list".`);
  await withUsers(async (deps) => revokeApiKey(deps, actorFor(await requireUser(deps, name)), Number(id)));
  output.write(`Revoked the API key ${id} of ${name}\n`);
}
