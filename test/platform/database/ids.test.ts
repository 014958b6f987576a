/** Ids of one kind do not stand for those of another: checked by the compiler. */
import { expectTypeOf, test } from 'vitest';
import type { AccountId, UserId, WorkspaceId } from '../../../src/platform/database/schema.ts';

test('an id of one kind cannot be given where that of another is wanted', () => {
  expectTypeOf<AccountId>().not.toExtend<WorkspaceId>();
  expectTypeOf<WorkspaceId>().not.toExtend<AccountId>();
  expectTypeOf<UserId>().not.toExtend<WorkspaceId>();
  expectTypeOf<number>().not.toExtend<AccountId>();
});
