import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { haveCreated, type CreatedGroup, type CreationOptions } from './have-created.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a group with these people, phone numbers of digits only (contract §4, create-group). */
export function createGroup(
  deps: GroupDeps,
  actor: Actor,
  group: { name: string; participants: string[] },
  options?: CreationOptions,
): Promise<CreatedGroup> {
  return haveCreated(deps, actor, 'create_group', () => Promise.resolve(group), options);
}
