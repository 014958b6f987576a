import { randomUUID } from 'node:crypto';
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { CampanileError, type Client, type Operations } from '../../../clients/typescript/client.ts';
import { ChecksFullError, type CheckedCampaign, type CheckedCampaigns } from './checked-campaigns.ts';
import { wrapUntrustedText } from './wrap-untrusted-text.ts';
import { ABOUT } from './messages.ts';
import { isTimeZone } from '../../platform/time/time-zone.ts';
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
  find_templates: READS,
  check_campaign: READS,
  fetch_link_preview: { ...SAVES, idempotentHint: true, openWorldHint: true },
  send_campaign: SENDS,
  save_draft: SAVES,
  stop_campaign: { ...SAVES, destructiveHint: true, idempotentHint: true },
  import_plan: SENDS,
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
    return {
      files: files.map((file) => omit(file, ['campaigns', 'drafts', 'templates', 'sha256', 'used_at'])),
      next_cursor,
    };
  },

  async find_templates({ campanile }, asked) {
    const { templates } = await campanile.call('venom/list-templates', asked);
    return {
      templates: templates.map(({ content, ...template }) => ({
        ...omit(template, ['version', 'begun_by', 'changed_by', 'files', 'groups', 'group_list_ids']),
        ...(content && { content: toToolPost(content) }),
      })),
    };
  },

  preview_message: ({ campanile }, { group_id: group_metadata_id, ...asked }) =>
    campanile.call('venom/preview-campaign', { ...asked, group_metadata_id, ...FOREIGN }),

  async check_campaign({ campanile, checked, token }, asked) {
    const campaign = toCampaign(asked);
    const found = await campanile.call('venom/check-campaign', campaign.body);
    return { check_id: checked.store(token, campaign), ...found };
  },

  async fetch_link_preview({ campanile, checked, token }, { check_id: checkId }) {
    const found = checked.find(token, checkId);
    if (!found) throw new NotCheckedError();
    const { html = '', text, with_fields } = found.body;
    const { links } = await campanile.call('venom/preview-campaign', {
      ...(typeof text === 'string' ? { text } : { html }),
      with_fields,
      ...FOREIGN,
    });
    // An address with a field leads to no page that all groups would see.
    const url = links.find((link) => !with_fields || !link.includes('{{'));
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

  save_draft({ campanile }, { group_ids: ids = [], files, as_template: asTemplate = false, ...draft }) {
    const post = { version: 0, ...draft, group_metadata_ids: ids, media: files };
    return asTemplate
      ? campanile.call('venom/save-template', { template_id: randomUUID(), ...post })
      : campanile.call('venom/save-draft', { draft_id: randomUUID(), ...post });
  },

  stop_campaign: ({ campanile }, { how, ...asked }) => campanile.call(`venom/${how}-campaign`, asked),

  import_plan: ({ campanile }, asked) => campanile.call('venom/import-plan', asked),

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

type TemplateContent = NonNullable<Operations['venom/list-templates']['data']['templates'][number]['content']>;

/** Returns the content of a template as `check_campaign` takes it, and the names of what the tools cannot take. */
function toToolPost(content: TemplateContent): object {
  const { group_metadata_ids, media, is_schedule, schedule_time, start_date, end_date, ...rest } = content;
  const { time_zone, weekdays, skip_dates, recurrence, ...others } = rest;
  const { file_name: _, link_preview: card, account_id: account, ...post } = others;
  // Prompt injection: the service validates no zone and no instant that is saved, and they are not marked as untrusted.
  const zone = time_zone !== null && isTimeZone(time_zone) ? time_zone : null;
  const schedule = { start_date, end_date, time: schedule_time, time_zone: zone, weekdays, skip_dates, recurrence };
  const { event } = post;
  const asked = event && { ...event, start_at: plainInstant(event.start_at), end_at: plainInstant(event.end_at) };
  const leftOut = [...(card ? ['link_preview'] : []), ...(account === null ? [] : ['account_id'])];
  return {
    ...withoutNulls({ ...post, event: asked && withoutNulls(asked) }),
    group_ids: group_metadata_ids,
    ...(media && { files: media }),
    ...(is_schedule && { schedule: withoutNulls(schedule) }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  };
}

/** Without words. */
function plainInstant(text: string | null): string | null {
  return text !== null && /^[\d:.TZ+-]+$/.test(text) ? text : null;
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

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
    inputSchema: withShortSchema(INPUTS[name], name === 'check_campaign' ? undefined : INPUTS.check_campaign),
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
  // Prompt injection: a sentence that names groups has texts of others.
  const namesGroups = details.some(({ params }) => params?.['groups'] !== undefined);
  const say = (text: string) => (namesGroups ? wrapUntrustedText(withToolFields(text)) : withToolFields(text));
  return {
    error_code: errorCode ?? 'unreachable',
    message: say(message),
    details: details.map(({ field, issue }) => ({ field: withToolFields(field), issue: say(issue) })),
    request_id: requestId,
  };
}
