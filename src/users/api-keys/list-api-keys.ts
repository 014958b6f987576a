import type { Actor } from '../../audit/record-audit.ts';
import { selectApiKeys, type ApiKey } from './api-key-store.ts';
import type { UserDependencies } from '../dependencies.ts';

/** The workspace's API keys, oldest first, expired ones among them; never the keys themselves (contract §4). */
export function listApiKeys({ db }: Pick<UserDependencies, 'db'>, { workspaceId }: Actor): Promise<ApiKey[]> {
  return selectApiKeys(db, workspaceId);
}
