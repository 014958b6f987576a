import { randomUUID } from 'node:crypto';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CampanileError, type Client } from '../../../clients/typescript/client.ts';
import { campaignStatus } from '../contract/campaigns.ts';
import { MOST_GROUPS } from '../contract/fields.ts';
import { groupKind } from '../contract/groups.ts';
import { ChecksFullError, type CheckedCampaign, type CheckedCampaigns } from './checked-campaigns.ts';
import { ABOUT } from './messages.ts';

export interface ToolDeps {
  /** A client with the caller's key. */
  campanile: Client;
  token: string;
  checked: CheckedCampaigns;
}

const MOST_ROWS = 50;
const READS = { readOnlyHint: true, openWorldHint: false };

const groupIds = z
  .array(z.int())
  .min(1)
  .max(MOST_GROUPS)
  .describe('Ids of the groups, communities and channels it goes to, as find_groups answers them');
const html = z
  .string()
  .describe('The message in HTML; allowed are h1-h6, b, strong, i, em, p, br, a, ul, ol, li, span');
const name = z.string().min(1).max(200).describe('What the campaign is called in lists; its readers do not see it');
const search = z.string().max(200).optional();
const schedule = z
  .object({
    start_date: z.string().describe('First date, YYYY-MM-DD'),
    end_date: z.string().describe('Last date, YYYY-MM-DD, included; the same as start_date to send once'),
    time: z.string().describe('Time of day, HH:MM:SS'),
    time_zone: z.string().optional().describe('IANA name such as Europe/Berlin; that of the user unless given'),
    weekdays: z.array(z.int().min(1).max(7)).optional().describe('Only on these days of the week, 1 is Monday'),
  })
  .optional()
  .describe('Leave it out to send at once');

const READ_ONLY = {
  find_groups: z.object({
    search: search.describe('Part of the name'),
    kind: z.enum(groupKind.options).optional(),
    cursor: z.string().optional().describe('next_cursor of the answer before, for more'),
  }),
  preview_message: z.object({ html }),
  list_campaigns: z.object({
    search: search.describe('Part of the name'),
    status: z.enum(campaignStatus.options).optional(),
    cursor: z.string().optional().describe('next_cursor of the answer before, for more'),
  }),
  read_analytics: z.object({ campaign_id: z.string().describe('As list_campaigns or send_campaign answers it') }),
  read_overview: z.object({ days: z.int().min(1).max(366).default(30) }),
};
const campaign = z.object({ name, html, group_ids: groupIds, schedule });

/** Registers the tools on a server. A tool answers JSON, or an error message with its `error_code`. */
export function registerTools(server: McpServer, deps: ToolDeps): void {
  registerReading(server, deps.campanile);
  registerWriting(server, deps);
}

function registerReading(server: McpServer, campanile: Client): void {
  server.registerTool('find_groups', reading('find_groups'), (asked) => answer(() => findGroups(campanile, asked)));
  server.registerTool('preview_message', reading('preview_message'), (asked) =>
    answer(() => campanile.call('venom/preview-campaign', asked)),
  );
  server.registerTool('list_campaigns', reading('list_campaigns'), (asked) =>
    answer(() => campanile.call('venom/list-campaigns', { ...asked, limit: MOST_ROWS })),
  );
  server.registerTool('read_analytics', reading('read_analytics'), (asked) =>
    answer(() => readAnalytics(campanile, asked)),
  );
  server.registerTool('read_overview', reading('read_overview'), ({ days }) =>
    answer(() => campanile.call('analytics/get-overview', { days })),
  );
}

function reading<Word extends keyof typeof READ_ONLY>(word: Word) {
  return { description: ABOUT[word], inputSchema: READ_ONLY[word], annotations: READS };
}

async function findGroups(campanile: Client, asked: z.output<typeof READ_ONLY.find_groups>): Promise<object> {
  const { groups, next_cursor } = await campanile.call('venom/list-groups', { ...asked, limit: MOST_ROWS });
  const found = groups.map((group) => ({
    group_id: group.group_metadata_id,
    name: group.group_name,
    kind: group.kind,
    participants: group.participants,
    can_send: group.can_send,
  }));
  return { groups: found, next_cursor };
}

async function readAnalytics(campanile: Client, asked: z.output<typeof READ_ONLY.read_analytics>): Promise<object> {
  const found = await campanile.call('analytics/get-campaign-group-analytics-master', asked);
  const failedFirst = found.groups.toSorted((one, other) => other.failed - one.failed);
  return {
    campaign: found.campaign,
    totals: found.totals,
    groups: failedFirst.slice(0, MOST_ROWS),
    groups_left_out: Math.max(0, failedFirst.length - MOST_ROWS),
  };
}

function registerWriting(server: McpServer, { campanile, token, checked }: ToolDeps): void {
  server.registerTool(
    'check_campaign',
    { description: ABOUT.check_campaign, inputSchema: campaign, annotations: READS },
    (asked) =>
      answer(async () => {
        const found = toCampaign(asked);
        const told = await campanile.call('venom/check-campaign', found.body);
        return { check_id: checked.store(token, found), ...told };
      }),
  );
  server.registerTool(
    'send_campaign',
    {
      description: ABOUT.send_campaign,
      inputSchema: z.object({ check_id: z.string().describe('As check_campaign has answered it') }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    ({ check_id: checkId }) =>
      answer(async () => {
        const found = checked.find(token, checkId);
        if (!found) throw new NotChecked();
        return send(campanile, found, checkId);
      }),
  );
  server.registerTool(
    'save_draft',
    {
      description: ABOUT.save_draft,
      inputSchema: z.object({ name, html, group_ids: groupIds.optional() }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ name: called, html: text, group_ids: ids = [] }) =>
      answer(() =>
        campanile.call('venom/save-draft', {
          draft_id: randomUUID(),
          version: 0,
          name: called,
          html: text,
          group_metadata_ids: ids,
        }),
      ),
  );
}

class NotChecked extends Error {}

function toCampaign(asked: z.output<typeof campaign>): CheckedCampaign {
  const post = { name: asked.name, html: asked.html, group_metadata_ids: asked.group_ids };
  if (!asked.schedule) return { path: 'venom/add-campaign', body: { ...post, is_schedule: false } };
  const { time, ...days } = asked.schedule;
  return { path: 'venom/add-campaign-batch', body: { ...post, ...days, schedule_time: time, is_schedule: true } };
}

/** The id of the check is the key that keeps it from being sent twice. */
async function send(campanile: Client, found: CheckedCampaign, checkId: string): Promise<object> {
  const options = { idempotencyKey: checkId };
  if (found.path === 'venom/add-campaign') return campanile.call(found.path, found.body, options);
  const { headers } = await campanile.ask(found.path, found.body, options);
  return { campaign_id: headers.get('x-campaign-id'), status: 'scheduled' };
}

async function answer(act: () => Promise<object>): Promise<CallToolResult> {
  try {
    const told = await act();
    return { content: [{ type: 'text', text: JSON.stringify(told) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: JSON.stringify(toFailure(error)) }], isError: true };
  }
}

/** Any other error is our defect, and the SDK reports it. */
function toFailure(error: unknown): object {
  if (error instanceof NotChecked)
    return {
      error_code: 'not_checked',
      message:
        'Nothing was sent: there is no such check of the last 30 minutes. Call check_campaign, show its answer, and send by its check_id',
    };
  if (error instanceof ChecksFullError) return { error_code: 'too_many_checks', message: error.message };
  if (!(error instanceof CampanileError)) throw error;
  const { errorCode, message, details, requestId } = error;
  return { error_code: errorCode ?? 'unreachable', message, details, request_id: requestId };
}
