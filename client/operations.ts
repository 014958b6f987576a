/** What each operation takes and answers, out of the contract that the service itself is held to. */
import type { z } from 'zod';
import type * as accounts from '../src/http/contract/accounts.ts';
import type * as analytics from '../src/http/contract/analytics.ts';
import type * as keys from '../src/http/contract/api-keys.ts';
import type * as campaigns from '../src/http/contract/campaigns.ts';
import type * as check from '../src/http/contract/check-campaign.ts';
import type { duplicateCampaignData } from '../src/http/contract/duplicate-campaign.ts';
import type { nothing } from '../src/http/contract/fields.ts';
import type * as groups from '../src/http/contract/groups.ts';
import type * as lists from '../src/http/contract/group-lists.ts';
import type * as runs from '../src/http/contract/list-runs.ts';
import type { getMediaBody } from '../src/http/contract/get-media.ts';
import type * as revise from '../src/http/contract/revise-campaign.ts';
import type * as rests from '../src/http/contract/update-account.ts';
import type * as users from '../src/http/contract/users.ts';

interface Operation<Body extends z.ZodType, Data extends z.ZodType> {
  body: z.input<Body>;
  data: z.output<Data>;
}

/** By path, without `/api/v1/`. */
export interface Operations {
  'user/create_user': Operation<typeof users.createUserBody, typeof users.createUserData>;
  'user/authorize_user': Operation<typeof users.authorizeUserBody, typeof users.authorizeUserData>;
  'user/get_profile': Operation<typeof nothing, typeof users.profile>;
  'user/update_profile': Operation<typeof users.updateProfileBody, typeof users.profile>;
  'user/change_password': Operation<typeof users.changePasswordBody, typeof users.nothingData>;
  'user/revoke_tokens': Operation<typeof nothing, typeof users.nothingData>;
  'user/delete_account': Operation<typeof users.deleteAccountBody, typeof users.nothingData>;
  'user/create_api_key': Operation<typeof keys.createApiKeyBody, typeof keys.createApiKeyData>;
  'user/list_api_keys': Operation<typeof nothing, typeof keys.listApiKeysData>;
  'user/revoke_api_key': Operation<typeof keys.revokeApiKeyBody, typeof users.nothingData>;
  'user/list_audit_log': Operation<typeof keys.listAuditLogBody, typeof keys.listAuditLogData>;
  'venom/add-campaign': Operation<typeof campaigns.addCampaignBody, typeof campaigns.addCampaignData>;
  'venom/add-campaign-batch': Operation<typeof campaigns.addCampaignBatchBody, typeof campaigns.addCampaignBatchData>;
  'venom/update-campaign': Operation<typeof campaigns.updateCampaignBody, typeof campaigns.controlledData>;
  'venom/retry-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/delete-campaign': Operation<typeof campaigns.campaignBody, typeof users.nothingData>;
  'venom/preview-campaign': Operation<typeof campaigns.previewBody, typeof campaigns.previewData>;
  'venom/list-campaigns': Operation<typeof campaigns.listCampaignsBody, typeof campaigns.listCampaignsData>;
  'venom/get-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.getCampaignData>;
  'venom/check-campaign': Operation<typeof check.checkCampaignBody, typeof check.checkCampaignData>;
  'venom/duplicate-campaign': Operation<typeof campaigns.campaignBody, typeof duplicateCampaignData>;
  'venom/list-runs': Operation<typeof runs.listRunsBody, typeof runs.listRunsData>;
  'venom/get-media': { body: z.input<typeof getMediaBody>; data: Blob };
  'venom/recall-campaign': Operation<typeof revise.recallCampaignBody, typeof revise.revisedData>;
  'venom/correct-campaign': Operation<typeof revise.correctCampaignBody, typeof revise.revisedData>;
  'venom/pause-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/resume-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/cancel-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/create-channel': Operation<typeof groups.createChannelBody, typeof groups.createChannelData>;
  'venom/create-community': Operation<typeof groups.createCommunityBody, typeof groups.createdGroupData>;
  'venom/create-group': Operation<typeof groups.createGroupBody, typeof groups.createdGroupData>;
  'venom/list-groups': Operation<typeof groups.listGroupsBody, typeof groups.listGroupsData>;
  'venom/save-group-list': Operation<typeof lists.saveGroupListBody, typeof lists.saveGroupListData>;
  'venom/list-group-lists': Operation<typeof nothing, typeof lists.listGroupListsData>;
  'venom/delete-group-list': Operation<typeof lists.groupListBody, typeof users.nothingData>;
  'venom/sync-groups': Operation<typeof nothing, typeof groups.syncGroupsData>;
  'venom/connect-account': Operation<typeof accounts.connectAccountBody, typeof accounts.connectAccountData>;
  'venom/disconnect-account': Operation<typeof nothing, typeof accounts.disconnectAccountData>;
  'venom/account-status': Operation<typeof accounts.accountStatusBody, typeof accounts.accountStatusData>;
  'venom/update-account': Operation<typeof rests.updateAccountBody, typeof rests.updateAccountData>;
  'analytics/get-campaign-group-analytics-master': Operation<
    typeof analytics.groupAnalyticsBody,
    typeof analytics.groupAnalyticsData
  >;
  'analytics/get-overview': Operation<typeof analytics.getOverviewBody, typeof analytics.getOverviewData>;
  'analytics/export-campaign': Operation<typeof analytics.exportCampaignBody, z.ZodString>;
  'sandbox/list-messages': Operation<typeof groups.listMessagesBody, typeof groups.listMessagesData>;
}

export type Path = keyof Operations;

/** How often an operation may be sent without doing anything twice. */
export type Repeatable =
  /** It only reads. */
  | 'always'
  /** With an `Idempotency-Key`. */
  | 'keyed'
  | 'never';

const REPEATABLE: { readonly [P in Path]: Repeatable } = {
  'user/create_user': 'never',
  'user/authorize_user': 'never',
  'user/get_profile': 'always',
  'user/update_profile': 'never',
  'user/change_password': 'never',
  'user/revoke_tokens': 'never',
  'user/delete_account': 'never',
  'user/create_api_key': 'never',
  'user/list_api_keys': 'always',
  'user/revoke_api_key': 'never',
  'user/list_audit_log': 'always',
  'venom/add-campaign': 'keyed',
  'venom/add-campaign-batch': 'keyed',
  'venom/update-campaign': 'never',
  'venom/retry-campaign': 'never',
  'venom/delete-campaign': 'keyed',
  'venom/preview-campaign': 'always',
  'venom/list-campaigns': 'always',
  'venom/get-campaign': 'always',
  'venom/check-campaign': 'always',
  'venom/duplicate-campaign': 'always',
  'venom/list-runs': 'always',
  'venom/get-media': 'always',
  'venom/recall-campaign': 'never',
  'venom/correct-campaign': 'never',
  'venom/pause-campaign': 'never',
  'venom/resume-campaign': 'never',
  'venom/cancel-campaign': 'never',
  'venom/create-channel': 'keyed',
  'venom/create-community': 'keyed',
  'venom/create-group': 'keyed',
  'venom/list-groups': 'always',
  'venom/save-group-list': 'never',
  'venom/list-group-lists': 'always',
  'venom/delete-group-list': 'never',
  'venom/sync-groups': 'never',
  'venom/connect-account': 'never',
  'venom/disconnect-account': 'never',
  'venom/account-status': 'always',
  'venom/update-account': 'never',
  'analytics/get-campaign-group-analytics-master': 'always',
  'analytics/get-overview': 'always',
  'analytics/export-campaign': 'always',
  'sandbox/list-messages': 'always',
};

export function repeatable(path: Path): Repeatable {
  return REPEATABLE[path];
}

/** All there are. */
export const PATHS: readonly Path[] = Object.keys(REPEATABLE) as Path[];
