/** The wire as the dashboard uses it: all from the contract's schemas, as types. Odd spellings of the wire stay in this folder. */
import type { z } from 'zod';
import type * as analytics from '../../src/http/contract/analytics.ts';
import type * as keys from '../../src/http/contract/api-keys.ts';
import type * as campaigns from '../../src/http/contract/campaigns.ts';
import type { nothing } from '../../src/http/contract/fields.ts';
import type * as groups from '../../src/http/contract/groups.ts';
import type * as users from '../../src/http/contract/users.ts';

interface Operation<Body extends z.ZodType, Data extends z.ZodType> {
  body: z.input<Body>;
  data: z.output<Data>;
}

/** Every operation that the dashboard calls, by its path below `/api/v1/`. */
export interface Operations {
  'user/create_user': Operation<typeof users.createUserBody, typeof users.createUserData>;
  'user/update_profile': Operation<typeof users.updateProfileBody, typeof users.profile>;
  'user/change_password': Operation<typeof users.changePasswordBody, typeof users.nothingData>;
  'user/revoke_tokens': Operation<typeof nothing, typeof users.nothingData>;
  'user/delete_account': Operation<typeof users.deleteAccountBody, typeof users.nothingData>;
  'user/create_api_key': Operation<typeof keys.createApiKeyBody, typeof keys.createApiKeyData>;
  'user/list_api_keys': Operation<typeof nothing, typeof keys.listApiKeysData>;
  'user/revoke_api_key': Operation<typeof keys.revokeApiKeyBody, typeof users.nothingData>;
  'user/list_audit_log': Operation<typeof keys.listAuditLogBody, typeof keys.listAuditLogData>;
  'venom/account-status': Operation<typeof nothing, typeof groups.accountStatusData>;
  'venom/list-groups': Operation<typeof groups.listGroupsBody, typeof groups.listGroupsData>;
  'venom/sync-groups': Operation<typeof nothing, typeof groups.syncGroupsData>;
  'venom/create-group': Operation<typeof groups.createGroupBody, typeof groups.createdGroupData>;
  'venom/create-community': Operation<typeof groups.createCommunityBody, typeof groups.createdGroupData>;
  'venom/create-channel': Operation<typeof groups.createChannelBody, typeof groups.createChannelData>;
  'venom/preview-campaign': Operation<typeof campaigns.previewBody, typeof campaigns.previewData>;
  'venom/add-campaign': Operation<typeof campaigns.addCampaignBody, typeof campaigns.addCampaignData>;
  'venom/add-campaign-batch': Operation<typeof campaigns.addCampaignBatchBody, typeof campaigns.addCampaignBatchData>;
  'venom/list-campaigns': Operation<typeof campaigns.listCampaignsBody, typeof campaigns.listCampaignsData>;
  'venom/get-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.getCampaignData>;
  'venom/pause-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/resume-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'venom/cancel-campaign': Operation<typeof campaigns.campaignBody, typeof campaigns.controlledData>;
  'analytics/get-campaign-group-analytics-master': Operation<
    typeof campaigns.campaignBody,
    typeof analytics.groupAnalyticsData
  >;
  'sandbox/list-messages': Operation<typeof groups.listMessagesBody, typeof groups.listMessagesData>;
}

export type Path = keyof Operations;
export type Body<P extends Path> = Operations[P]['body'];
export type Data<P extends Path> = Operations[P]['data'];

export type Campaign = Data<'venom/get-campaign'>;
export type CampaignRow = Data<'venom/list-campaigns'>['campaigns'][number];
export type CampaignStatus = CampaignRow['status'];
export type Analytics = Data<'analytics/get-campaign-group-analytics-master'>;
export type GroupRow = Analytics['groups'][number];
export type Run = Analytics['runs'][number];
export type Group = Data<'venom/list-groups'>['groups'][number];
export type GroupKind = Group['kind'];
export type ApiKey = Data<'user/list_api_keys'>['api_keys'][number];
export type Message = Data<'sandbox/list-messages'>['messages'][number];
export type Warning = Data<'venom/preview-campaign'>['warnings'][number];

/**
 * The state of the link to the messaging application. What is optional comes with messengers that have to be linked by hand
 * (contract §4); the sandbox never has it.
 */
export type AccountStatus = Data<'venom/account-status'> & {
  qr?: string;
  pairing_code?: string;
  expires_at?: string;
  paused_until?: string;
  reason?: string;
};
