import type { CheckDeps } from '../../campaigns/check-campaign.ts';
import type { AccountDeps } from '../../accounts/connect-account.ts';
import type { ListMessagesDeps } from '../../groups/list-messages.ts';
import type { GroupDeps } from '../../groups/sync-groups.ts';
import type { UserDependencies } from '../../users/dependencies.ts';
import type { Operation } from '../operation.ts';
import { exportCampaignOperation } from './analytics/export-campaign.ts';
import { getCampaignGroupAnalyticsMasterOperation } from './analytics/get-campaign-group-analytics-master.ts';
import { getOverviewOperation } from './analytics/get-overview.ts';
import { addCampaignBatchOperation } from './campaigns/add-campaign-batch.ts';
import { addCampaignOperation } from './campaigns/add-campaign.ts';
import { cancelCampaignOperation } from './campaigns/cancel-campaign.ts';
import { checkCampaignOperation } from './campaigns/check-campaign.ts';
import { correctCampaignOperation } from './campaigns/correct-campaign.ts';
import { deleteCampaignOperation } from './campaigns/delete-campaign.ts';
import { duplicateCampaignOperation } from './campaigns/duplicate-campaign.ts';
import { getCampaignOperation } from './campaigns/get-campaign.ts';
import { getMediaOperation } from './campaigns/get-media.ts';
import { listCampaignsOperation } from './campaigns/list-campaigns.ts';
import { listRunsOperation } from './campaigns/list-runs.ts';
import { pauseCampaignOperation } from './campaigns/pause-campaign.ts';
import { previewCampaignOperation } from './campaigns/preview-campaign.ts';
import { recallCampaignOperation } from './campaigns/recall-campaign.ts';
import { resumeCampaignOperation } from './campaigns/resume-campaign.ts';
import { retryCampaignOperation } from './campaigns/retry-campaign.ts';
import { updateCampaignOperation } from './campaigns/update-campaign.ts';
import { accountStatusOperation } from './accounts/account-status.ts';
import { connectAccountOperation } from './accounts/connect-account.ts';
import { disconnectAccountOperation } from './accounts/disconnect-account.ts';
import { deleteGroupListOperation } from './groups/delete-group-list.ts';
import { listGroupListsOperation } from './groups/list-group-lists.ts';
import { saveGroupListOperation } from './groups/save-group-list.ts';
import { createChannelOperation } from './groups/create-channel.ts';
import { createCommunityOperation } from './groups/create-community.ts';
import { createGroupOperation } from './groups/create-group.ts';
import { listGroupsOperation } from './groups/list-groups.ts';
import { syncGroupsOperation } from './groups/sync-groups.ts';
import { updateAccountOperation } from './accounts/update-account.ts';
import { listMessagesOperation } from './sandbox/list-messages.ts';
import { authorizeUserOperation } from './users/authorize-user.ts';
import { changePasswordOperation } from './users/change-password.ts';
import { createUserOperation } from './users/create-user.ts';
import { deleteAccountOperation } from './users/delete-account.ts';
import { getProfileOperation } from './users/get-profile.ts';
import { listAuditLogOperation } from './users/list-audit-log.ts';
import { revokeTokensOperation } from './users/revoke-tokens.ts';
import { updateProfileOperation } from './users/update-profile.ts';
import { createApiKeyOperation } from './api-keys/create-api-key.ts';
import { listApiKeysOperation } from './api-keys/list-api-keys.ts';
import { revokeApiKeyOperation } from './api-keys/revoke-api-key.ts';

/** What the operations work with; each asks for the parts that it needs. */
export interface OperationDependencies extends UserDependencies, CheckDeps, GroupDeps, AccountDeps, ListMessagesDeps {}

/** Every operation of the service, in the order in which the document lists them. */
export function listOperations(deps: OperationDependencies): Operation[] {
  return [
    ...listUserOperations(deps),
    createChannelOperation(deps),
    createCommunityOperation(deps),
    createGroupOperation(deps),
    listGroupsOperation(deps),
    syncGroupsOperation(deps),
    updateAccountOperation(deps),
    listMessagesOperation(deps),
    connectAccountOperation(deps),
    accountStatusOperation(deps),
    disconnectAccountOperation(deps),
    saveGroupListOperation(deps),
    listGroupListsOperation(deps),
    deleteGroupListOperation(deps),
    addCampaignOperation(deps),
    addCampaignBatchOperation(deps),
    previewCampaignOperation(deps),
    checkCampaignOperation(deps),
    duplicateCampaignOperation(deps),
    getMediaOperation(deps),
    listRunsOperation(deps),
    listCampaignsOperation(deps),
    getCampaignOperation(deps),
    updateCampaignOperation(deps),
    recallCampaignOperation(deps),
    correctCampaignOperation(deps),
    pauseCampaignOperation(deps),
    resumeCampaignOperation(deps),
    cancelCampaignOperation(deps),
    retryCampaignOperation(deps),
    deleteCampaignOperation(deps),
    getCampaignGroupAnalyticsMasterOperation(deps),
    getOverviewOperation(deps),
    exportCampaignOperation(deps),
  ];
}

/** Those that are about the person: sign-up, sign-in, and what users do with their own data (contract §3 and §4). */
export function listUserOperations(deps: UserDependencies): Operation[] {
  return [
    createUserOperation(deps),
    authorizeUserOperation(deps),
    getProfileOperation(deps),
    updateProfileOperation(deps),
    changePasswordOperation(deps),
    revokeTokensOperation(deps),
    deleteAccountOperation(deps),
    createApiKeyOperation(deps),
    listApiKeysOperation(deps),
    revokeApiKeyOperation(deps),
    listAuditLogOperation(deps),
  ];
}
