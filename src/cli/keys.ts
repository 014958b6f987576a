import { StartupError } from '../platform/errors/errors.ts';
import { selectApiKeys } from '../identity/api-keys/api-key-store.ts';
import { revokeApiKey } from '../identity/api-keys/revoke-api-key.ts';
import type { Given, JsonFlag } from './command.ts';
import { actorFor, requireUser, withUsers } from './open-users.ts';
import { writeJson } from './write-json.ts';
import { writeTable } from './write-table.ts';

/** `campanile keys list`: a user's API keys, without the keys themselves. */
export async function listKeys({ args: { NAME }, options: { json }, output }: Given<'NAME', JsonFlag>) {
  const found = await withUsers(async (deps) => selectApiKeys(deps.db, (await requireUser(deps, NAME)).workspaceId));
  if (json) return writeJson(output, { keys: found.map(({ isTest: test, ...key }) => ({ ...key, test })) });
  const rows = found.map(({ apiKeyId, name, prefix, scopes, expiresAt, lastUsedAt }) => [
    String(apiKeyId),
    name,
    prefix,
    scopes.join(','),
    expiresAt?.toISOString() ?? 'never',
    lastUsedAt?.toISOString() ?? 'never',
  ]);
  return writeTable(output, ['id', 'name', 'begins with', 'scopes', 'expires', 'last used'], rows);
}

/** `campanile keys revoke`. */
export async function revokeKey({ args: { NAME, ID }, output }: Given<'NAME' | 'ID'>) {
  if (!/^\d{1,15}$/.test(ID))
    throw new StartupError(`${ID} is not the id of an API key. List the ids with "keys list".`);
  await withUsers(async (deps) => revokeApiKey(deps, actorFor(await requireUser(deps, NAME)), Number(ID)));
  output.write(`Revoked the API key ${ID} of ${NAME}\n`);
  return 0;
}
