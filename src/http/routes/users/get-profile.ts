import type { UserDependencies } from '../../../users/dependencies.ts';
import { getProfile } from '../../../users/get-profile.ts';
import type { WorkspaceId } from '../../../database/schema.ts';
import { nothing } from '../../contract/fields.ts';
import { QUOTAS, type Quotas } from '../../../quotas/quotas.ts';
import { readQuotas, type WorkspaceQuotas } from '../../../quotas/read-quotas.ts';
import { ownProfile, type Profile } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { profileOf } from './profile.ts';

export interface GetProfileDeps extends UserDependencies {
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

export function getProfileOperation(deps: GetProfileDeps): Operation {
  return defineOperation({
    path: '/api/v1/user/get_profile',
    access: 'bearer',
    scope: 'read',
    tag: 'Users',
    summary: 'Read your own data',
    body: nothing,
    data: ownProfile,
    errors: [],
    async handle({ actor }) {
      return withQuotas(deps, profileOf(await getProfile(deps, actor.userId)), actor.workspaceId);
    },
  });
}

/** A profile as its user sees it, with what their workspace has of what is limited. */
export async function withQuotas(
  deps: Pick<GetProfileDeps, 'db' | 'quotas'>,
  profile: Profile,
  workspaceId: WorkspaceId,
) {
  const use = await readQuotas(deps.db, workspaceId, deps.quotas ?? QUOTAS);
  return { ...profile, ...(use && { quotas: quotasOf(use) }) };
}

function quotasOf({ storedBytes, openCampaigns, createdGroups }: WorkspaceQuotas) {
  return { stored_bytes: storedBytes, campaigns: openCampaigns, groups_created: createdGroups };
}
