import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Commands } from '../accounts/commands.ts';
import { haveCreated, type CreatedGroup, type CreationOptions } from './have-created.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a community; campaigns sent to it go to its announcement group (contract §3, create-community). */
export function createCommunity(
  deps: GroupDeps,
  actor: Actor,
  community: Commands['create_community']['input'],
  options?: CreationOptions,
): Promise<CreatedGroup> {
  return haveCreated(deps, actor, 'create_community', () => Promise.resolve(community), options);
}
