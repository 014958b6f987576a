import { sql } from 'kysely';
import type { Person, TestApp } from './app.ts';
import type { ApiKeys } from './inputs/forged-tokens.ts';

/** Three keys of a person: one valid, one revoked, one expired. */
export async function createKeys(app: TestApp, person: Person): Promise<ApiKeys> {
  const create = async (name: string) =>
    (
      await person.call<{ key: string; api_key_id: number }>('user/create_api_key', {
        name,
        scopes: ['read', 'send', 'admin'],
      })
    ).body.data;
  const [valid, gone, old] = [await create('valid'), await create('revoked'), await create('expired')];
  await person.call('user/revoke_api_key', { api_key_id: gone.api_key_id });
  await sql`update api_keys set expires_at = campanile_now() - interval '1 second' where api_key_id = ${old.api_key_id}`.execute(
    app.database.db,
  );
  return { valid: valid.key, revoked: gone.key, expired: old.key };
}
