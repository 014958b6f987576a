/** A calendar from a sheet (contract §4, import-plan). */
import { z } from 'zod';
import { cleanName } from '../../content/text/fold-name.ts';
import { campaignId } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import {
  base64File,
  count,
  instant,
  issueCode,
  issueParams,
  label,
  list,
  named,
  objects,
  optional,
  text,
  timeZone,
  withDefault,
} from './fields.ts';

/** The most rows of a plan. */
export const MOST_ROWS = 2_000;
/** A file of 4 MiB in base64, or two thousand rows of 4,000 characters. */
const IMPORT_LIMIT_BYTES = 8 * 1024 * 1024;
const LONGEST_NAME = 1_000;
const MOST_NAMES = 1_000;

const target = z.union([z.int(), text(0, LONGEST_NAME)]);

export const rowState = z.enum(['new', 'changed', 'unchanged', 'gone', 'sent', 'missed', 'cancelled', 'refused']);

/** Rows and sheets have the same names. What is wrong with a row is in its result, not a failure of the request. */
export const planRow = z.object({
  key: optional(z.string()),
  date: optional(z.string()),
  time: optional(z.string()),
  time_zone: optional(z.string()),
  list: optional(target).describe('By id, name or `external_id`, as `groups`.'),
  groups: withDefault(list(target, MOST_NAMES), []),
  html: optional(z.string()).describe('As in `add-campaign-batch`.'),
  text: optional(z.string()),
  media_id: optional(z.int()),
  template: optional(target),
  name: optional(z.string()),
  note: optional(z.string()),
  tags: optional(list(z.string(), MOST_NAMES)),
});

export const planImports = defineOperations('Campaigns', {
  importPlan: {
    path: '/api/v1/venom/import-plan',
    access: 'send',
    idempotency: 'always',
    summary: 'Import a calendar from a sheet',
    description: 'Each row is a scheduled campaign, known again by plan and key.',
    body: named('ImportPlan', {
      plan: label(100).overwrite(cleanName).describe('All rows of a plan are in one request.'),
      rows: optional(list(planRow, MOST_ROWS).min(1)),
      file: base64File.describe('CSV or XLSX in base64.'),
      date_format: optional(z.enum(['DD/MM/YYYY', 'MM/DD/YYYY'])),
      time_zone: optional(timeZone).describe('Of rows without one.'),
      dry_run: z.boolean().describe('Changes nothing.'),
      from_row: optional(z.int().min(1)),
      remove_gone: withDefault(z.boolean(), false),
    }),
    data: z.object({
      next_row: count.nullable().describe('`from_row` of the next request.'),
      counts: z.record(z.string(), count),
      rows: objects({
        row: count.nullable(),
        key: z.string(),
        state: rowState,
        campaign_id: campaignId.optional(),
        name: z.string().optional(),
        group_count: count.optional(),
        due_at: instant.nullable(),
        local: z.string().nullable(),
        changes: z.array(z.string()).optional(),
        warnings: z.array(z.string()),
        problems: objects({
          field: z.string(),
          code: issueCode.optional(),
          issue: z.string(),
          params: issueParams.optional(),
        }),
      }),
      warnings: z.array(z.string()),
    }),
    bodyLimitBytes: IMPORT_LIMIT_BYTES,
    requiresDiskSpace: true,
    longAnswer: 'pieces',
  },
});
