import { selectApiKeys, type ApiKey } from './api-key-store.ts';
import type { UserDependencies } from './dependencies.ts';

/** The user's API keys, oldest first, expired ones among them; never the keys themselves (contract §4). */
export function listApiKeys({ db }: Pick<UserDependencies, 'db'>, userId: number): Promise<ApiKey[]> {
  return selectApiKeys(db, userId);
}
