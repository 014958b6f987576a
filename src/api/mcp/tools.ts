import { randomUUID } from 'node:crypto';
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { CampanileError, type Client, type Operations } from '../../../clients/typescript/client.ts';
import { ChecksFullError, type CheckedCampaign, type CheckedCampaigns } from './checked-campaigns.ts';
import { wrapUntrustedText } from './wrap-untrusted-text.ts';
import { ABOUT } from './messages.ts';
import { withShortSchema } from './shorten-schema.ts';
import { INPUTS, ROWS_LIMIT, withToolFields, type ToolName } from './tool-schemas.ts';

export interface ToolDeps {
  /** A client with the caller's key. */
  campanile: Client;
  token: string;
  checked: CheckedCampaigns;
}

type Input<Name extends ToolName> = z.output<(typeof INPUTS)[Name]>;
type Tools = { [Name in ToolName]: (deps: ToolDeps, asked: Input<Name>) => Promise<object> };

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const SENDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};
const SAVES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const ANNOTATIONS: Readonly<Record<ToolName, ToolAnnotations>> = {
  get_account: READS,
  find_groups: READS,
  find_files: READS,
  preview_message: READS,
  check_campaign: READS,
  fetch_link_preview: { ...SAVES, idempotentHint: true, openWorldHint: true },
  send_campaign: SENDS,
  save_draft: SAVES,
  pause_campaign: { ...SAVES, idempotentHint: true },
  cancel_campaign: { ...SAVES, destructiveHint: true, idempotentHint: true },
  list_campaigns: READS,
  read_analytics: READS,
  read_poll: READS,
  read_overview: READS,
};

/** A model hands on the html of other programs: what a message cannot hold is a warning. */
const FOREIGN = { on_unknown_tags: 'drop' } as const;

const TOOLS: Tools = {
  async get_account({ campanile }) {
    const profile = await campanile.call('user/get_profile');
    const { messenger, status, whatsapp_number, reason, paused_until, held_since } =
      await campanile.call('venom/account-status');
    const account = { messenger, status, whatsapp_number, reason, paused_until, held_since };
    return { user_name: profile.user_info.user_name, time_zone: profile.time_zone, account };
  },

  async find_groups({ campanile }, asked) {
    const { groups, next_cursor } = await campanile.call('venom/list-groups', { ...asked, limit: ROWS_LIMIT });
    const found = groups.map(({ group_metadata_id, group_name, kind, participants, can_send }) => ({
      group_id: group_metadata_id,
      name: group_name,
      kind,
      participants,
      can_send,
    }));
    return { groups: found, next_cursor };
  },

  async find_files({ campanile }, asked) {
    const { files, next_cursor } = await campanile.call('media/list-media', { ...asked, limit: ROWS_LIMIT });
    return { files: files.map((file) => omit(file, ['campaigns', 'drafts', 'sha256', 'used_at'])), next_cursor };
  },

  preview_message: ({ campanile }, asked) => campanile.call('venom/preview-campaign', { ...asked, ...FOREIGN }),

  async check_campaign({ campanile, checked, token }, asked) {
    const campaign = toCampaign(asked);
    const found = await campanile.call('venom/check-campaign', campaign.body);
    return { check_id: checked.store(token, campaign), ...found };
  },

  async fetch_link_preview({ campanile, checked, token }, { check_id: checkId }) {
    const found = checked.find(token, checkId);
    if (!found) throw new NotCheckedError();
    const { html = '', text } = found.body;
    const { links } = await campanile.call('venom/preview-campaign', {
      ...(typeof text === 'string' ? { text } : { html }),
      ...FOREIGN,
    });
    const [url] = links;
    const fetched = url === undefined ? undefined : await campanile.call('venom/link-preview', { url });
    if (!fetched?.link_preview)
      return { check_id: checkId, link_preview: null, no_preview_because: fetched?.reason ?? 'no_card' };
    // The check has the card that is sent, so that the site cannot show another one later.
    const campaign = withCard(found, fetched.link_preview);
    const { link_preview: card } = await campanile.call('venom/check-campaign', campaign.body);
    return { check_id: checked.store(token, campaign), link_preview: card, no_preview_because: null };
  },

  async send_campaign({ campanile, checked, token }, { check_id: checkId }) {
    const found = checked.find(token, checkId);
    if (!found) throw new NotCheckedError();
    return send(campanile, found, checkId);
  },

  save_draft: ({ campanile }, { group_ids: ids = [], files, ...draft }) =>
    campanile.call('venom/save-draft', {
      draft_id: randomUUID(),
      version: 0,
      ...draft,
      group_metadata_ids: ids,
      media: files,
    }),

  pause_campaign: ({ campanile }, asked) => campanile.call('venom/pause-campaign', asked),

  cancel_campaign: ({ campanile }, asked) => campanile.call('venom/cancel-campaign', asked),

  list_campaigns: ({ campanile }, asked) => campanile.call('venom/list-campaigns', { ...asked, limit: ROWS_LIMIT }),

  async read_analytics({ campanile }, asked) {
    const found = await campanile.call('analytics/get-campaign-group-analytics-master', asked);
    const failedFirst = found.groups.toSorted((one, other) => other.failed - one.failed);
    return {
      campaign: found.campaign,
      totals: found.totals,
      groups: failedFirst.slice(0, ROWS_LIMIT),
      groups_left_out: Math.max(0, failedFirst.length - ROWS_LIMIT),
    };
  },

  async read_poll({ campanile }, asked) {
    const { polls } = await campanile.call('analytics/get-poll-results', asked);
    return {
      polls: polls.map((poll) => ({
        ...omit(poll, ['timeline']),
        groups: poll.groups.toSorted((one, other) => other.voters - one.voters).slice(0, ROWS_LIMIT),
        groups_left_out: Math.max(0, poll.groups.length - ROWS_LIMIT),
      })),
    };
  },

  read_overview: ({ campanile }, asked) => campanile.call('analytics/get-overview', asked),
};

/** A model pays for each field. */
function omit<Value extends object>(value: Value, fields: ReadonlyArray<keyof Value & string>): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.some((field) => field === name)));
}

/** Registers the tools on a server. A tool answers JSON, or an error message with its `error_code`. */
export function registerTools(server: McpServer, deps: ToolDeps): void {
  for (const name of Object.keys(TOOLS) as ToolName[]) registerTool(server, deps, name);
}

function registerTool<Name extends ToolName>(server: McpServer, deps: ToolDeps, name: Name): void {
  const config = {
    description: ABOUT[name],
    inputSchema: withShortSchema(INPUTS[name], name === 'save_draft' ? INPUTS.check_campaign : undefined),
    annotations: ANNOTATIONS[name],
  };
  // The SDK has validated the input by the tool's own schema.
  server.registerTool(name, config, (asked) => answer(() => TOOLS[name](deps, asked as Input<Name>)));
}

class NotCheckedError extends Error {}

function toCampaign(asked: Input<'check_campaign'>): CheckedCampaign {
  const { group_ids: ids, files, schedule, ...about } = asked;
  const post = { ...about, ...FOREIGN, group_metadata_ids: ids, media: files };
  if (!schedule) return { path: 'venom/add-campaign', body: { ...post, is_schedule: false } };
  const { time, ...days } = schedule;
  return { path: 'venom/add-campaign-batch', body: { ...post, ...days, schedule_time: time, is_schedule: true } };
}

function withCard(
  campaign: CheckedCampaign,
  card: NonNullable<Operations['venom/link-preview']['data']['link_preview']>,
): CheckedCampaign {
  return campaign.path === 'venom/add-campaign'
    ? { ...campaign, body: { ...campaign.body, link_preview: card } }
    : { ...campaign, body: { ...campaign.body, link_preview: card } };
}

/** The id of the check is the idempotency key, so the campaign is not sent twice. */
async function send(campanile: Client, found: CheckedCampaign, checkId: string): Promise<object> {
  const options = { idempotencyKey: checkId };
  if (found.path === 'venom/add-campaign') return campanile.call(found.path, found.body, options);
  const { headers } = await campanile.ask(found.path, found.body, options);
  return { campaign_id: headers.get('x-campaign-id') ?? '', status: 'scheduled' };
}

async function answer(act: () => Promise<object>): Promise<CallToolResult> {
  try {
    const answered = wrapUntrustedText(await act());
    return { content: [{ type: 'text', text: JSON.stringify(answered) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: JSON.stringify(toFailure(error)) }], isError: true };
  }
}

/** Any other error is our defect, and the SDK reports it. */
function toFailure(error: unknown): object {
  if (error instanceof NotCheckedError)
    return {
      error_code: 'not_checked',
      message:
        'Nothing was sent: there is no such check of the last 30 minutes. Call check_campaign, show its answer, and send by its check_id',
    };
  if (error instanceof ChecksFullError) return { error_code: 'too_many_checks', message: error.message };
  if (!(error instanceof CampanileError)) throw error;
  const { errorCode, message, details, requestId } = error;
  return {
    error_code: errorCode ?? 'unreachable',
    message: withToolFields(message),
    details: details.map(({ field, issue }) => ({ field: withToolFields(field), issue: withToolFields(issue) })),
    request_id: requestId,
  };
}
