import { findAccountOfUser } from '../accounts/store.ts';
import type { Database } from '../database/connect.ts';
import { selectGroupLists, type GroupList } from './group-list-store.ts';

/** All of the user's saved lists, in order of their names (contract §4, list-group-lists). */
export async function listGroupLists({ db }: { db: Database }, userId: number): Promise<GroupList[]> {
  const { accountId } = await findAccountOfUser(db, userId);
  return selectGroupLists(db, accountId);
}
