import { create as contentDisposition } from 'content-disposition';
import { z } from 'zod';
import { readGroupAnalytics, type GroupRow } from '../../../sending/analytics/group-analytics.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { fileNameOf } from '../../../content/media/file-name.ts';
import { exportCampaignBody } from '../../contract/analytics.ts';
import { writeCsv } from '../csv.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toWireGroup, toWireRevised } from './group-row.ts';

/** In this order; a column that is added later is added behind. */
const COLUMNS = [
  'group_metadata_id',
  'group_name',
  'kind',
  'participants',
  'deliveries',
  'queued',
  'sent',
  'failed',
  'cancelled',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
  'delivery_rate',
  'read_rate',
  'first_sent_at',
  'last_sent_at',
  'last_error',
  'recalled',
  'corrected',
] as const satisfies ReadonlyArray<keyof ReturnType<typeof toRow>>;

const toRow = (group: GroupRow) => ({ ...toWireGroup(group), ...toWireRevised(group) });

export function exportCampaignOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/analytics/export-campaign',
    access: 'bearer',
    scope: 'read',
    tag: 'Analytics',
    summary: 'Download the groups of a campaign, with what became of it in each, as CSV',
    description:
      'The rows of `groups` of the analytics, in UTF-8 with a byte order mark, as spreadsheets want it. What is null there is empty here. A text that a spreadsheet would run as a formula has an apostrophe before it, also where one that reads semicolons or tabs would see a cell begin. A failure is answered in the usual envelope.',
    body: exportCampaignBody,
    data: z.string(),
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': 'A file name made of the campaign’s.' },
    shedFirst: true,
    longAnswer: 'whole',
    errors: [404],
    async handle({ body, actor, setHeader }) {
      const { campaign, groups } = await readGroupAnalytics(deps, actor, body.campaign_id);
      setHeader('content-disposition', contentDisposition(fileNameOf(campaign.name, body.format)));
      return writeCsv(COLUMNS, groups.map(toRow));
    },
  });
}
