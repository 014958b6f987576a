/** What a workspace knows about each of its groups (contract §4, fields of groups). */
import { z } from 'zod';
import { isFieldName, LONGEST_FIELD_NAME, MOST_FIELDS } from '../../content/fields/field-name.ts';
import { FIELD_KINDS } from '../../content/fields/field-value.ts';
import { cleanName } from '../../content/text/fold-name.ts';
import { ISSUES } from '../../platform/errors/issues.ts';
import { defineOperations } from './define-operations.ts';
import {
  count,
  issueCode,
  issueParams,
  keyed,
  list,
  named,
  objects,
  optional,
  text,
  units,
  withDefault,
} from './fields.ts';
import { groupListId } from './group-lists.ts';
import { groupMetadataId, oneNamedGroup } from './groups.ts';
import { csvFormat, longText } from './long-text.ts';

/** Of a name, a WhatsApp id or an id, as sheets have them. */
const LONGEST_KEY = 1_000;
const MOST_NAMES = 10_000;
const MOST_GROUPS_AT_ONCE = 1_000;
/** A thousand groups with ten values of half the greatest length. */
const VALUES_LIMIT_BYTES = 5 * 1024 * 1024;
const NAMES_LIMIT_BYTES = 2 * 1024 * 1024;
/** A file of 4 MiB in base64. */
const SHEET_LIMIT_BYTES = 6 * 1024 * 1024;

const fieldId = z.int({ error: ISSUES.whole_number });
const fieldName = z
  .string()
  .overwrite(cleanName)
  .check(units(1, LONGEST_FIELD_NAME))
  .refine(isFieldName, { error: ISSUES.field_name })
  .meta({
    description:
      '1 to 40 letters, digits, spaces, `_` and `-`. Case, accents and the amount of space tell no two fields apart.',
    examples: ['City'],
  });
const fieldValues = keyed(z.union([z.string(), z.number(), z.null()]), MOST_FIELDS).meta({
  description: 'Values by the names of fields, each at most 1,000 characters; `""` and `null` take a value away.',
  examples: [{ City: 'Pune', 'Meets on': '2026-12-24' }],
});
const sheetRow = count.describe('As the spreadsheet counts: the first is 1.');
const fieldKind = z.enum(FIELD_KINDS);
const listedFields = objects({
  field_id: count,
  name: z.string(),
  kind: fieldKind,
  group_count: count.describe('Groups with a value.'),
}).max(MOST_FIELDS);

export const groupFields = defineOperations('Groups', {
  listFields: {
    path: '/api/v1/venom/list-fields',
    access: 'read',
    summary: 'List the fields of groups',
    description: 'In the order in which they were added.',
    data: z.object({ fields: listedFields }),
  },
  setFields: {
    path: '/api/v1/venom/set-fields',
    access: 'write',
    role: 'manager',
    summary: 'Add, rename or remove fields of groups',
    description: 'Limited to 40 fields. Fields that are left out stay as they are. A renamed field keeps its values.',
    body: named('SetFields', {
      fields: withDefault(
        list(
          z.object({
            field_id: optional(fieldId).describe('The field to change. Omitted: the one of this name, or a new one.'),
            name: fieldName,
            kind: optional(fieldKind).describe(
              'Default: as it is, and `text` of a new one. Values that the new kind does not take are a 400.',
            ),
          }),
          MOST_FIELDS,
        ),
        [],
      ),
      remove: withDefault(list(fieldId, MOST_FIELDS), []).describe('Removes these fields and **all their values**.'),
      remove_in_use: withDefault(z.boolean(), false).describe(
        'Also removes fields that posts which are yet to begin, or lists by rule, need: such posts fail, and nobody is in such lists. Otherwise that is a 409.',
      ),
    }),
    data: z.object({ fields: listedFields }),
    errors: ['field_not_found', 'field_limit_reached', 'field_in_use'],
  },
  setGroupFields: {
    path: '/api/v1/venom/set-group-fields',
    access: 'write',
    role: 'manager',
    summary: 'Set values of groups in their fields',
    description: 'All of them, or none. Values and groups that are left out stay as they are.',
    body: named('SetGroupFields', {
      groups: list(z.object({ group_metadata_id: groupMetadataId, fields: fieldValues }), MOST_GROUPS_AT_ONCE).min(1),
    }),
    data: z.object({
      groups: count.describe('Groups of which a value changed.'),
      values: count.describe('Values that changed.'),
    }),
    errors: [
      'group_not_found',
      'value_limit_reached',
      'idempotency_key_in_progress',
      'idempotency_key_outcome_unknown',
    ],
    idempotency: 'keyed',
    bodyLimitBytes: VALUES_LIMIT_BYTES,
  },
  findGroups: {
    path: '/api/v1/venom/find-groups',
    access: 'read',
    summary: 'Find groups by a column of names',
    description:
      'Each text is a name, a `group_metadata_id` or a `nid._serialized`. Names are compared as they are written, else without regard to case, accents, space and invisible characters, else without emoji. A text that several groups match is `ambiguous`.',
    body: z.object({
      names: list(text(0, LONGEST_KEY), MOST_NAMES)
        .min(1)
        .meta({
          description: 'Empty ones do not count, and repeated ones count once.',
          examples: [['Choir', 'Chess']],
        }),
    }),
    data: z.object({
      found: objects({ text: z.string(), group: oneNamedGroup }),
      unknown: z.array(z.string()).describe('Texts that no group matches.'),
      ambiguous: objects({
        text: z.string(),
        groups: z.array(oneNamedGroup).max(10),
        count: count.describe('Groups that match it, beyond the first 10 too.'),
      }),
    }),
    bodyLimitBytes: NAMES_LIMIT_BYTES,
    longAnswer: 'pieces',
  },
  importGroupFields: {
    path: '/api/v1/venom/import-group-fields',
    access: 'write',
    role: 'manager',
    summary: 'Import values of groups from a sheet',
    description:
      'Reads the first sheet of an XLSX file, or a CSV file. Its first row names the columns. The first column names the group, as find-groups reads it, or as `group_metadata_id` by its id; the others are fields by their names. An empty cell takes a value away. All rows are imported, or none.',
    body: named('ImportGroupFields', {
      file: z.string().min(1).describe('The file in base64: 4 MiB, 10,000 rows and 200 columns at most.'),
      dry_run: withDefault(z.boolean(), false).describe('Changes nothing, and returns what would change.'),
      skip_refused: withDefault(z.boolean(), false).describe(
        'Leaves out rows that cannot be imported. Otherwise one of them is a 400.',
      ),
    }),
    data: z.object({
      applied: z.boolean().describe('`false`: a dry run.'),
      rows: count.describe('Rows of the sheet, without the first and empty ones.'),
      added: count.describe('Values of groups that had none.'),
      changed: count,
      cleared: count,
      unchanged: count,
      changes: objects({
        row: sheetRow,
        group_metadata_id: groupMetadataId,
        group_name: z.string(),
        field: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      })
        .max(1_000)
        .describe('The first 1,000, as all lists here.'),
      refused: objects({
        row: sheetRow,
        column: z.string().nullable().describe('The field. `null`: the row as a whole.'),
        issue: z.string(),
        code: issueCode,
        params: issueParams.optional(),
      }).max(1_000),
      unknown: objects({ row: sheetRow, text: z.string() }).max(1_000).describe('Rows of no group.'),
      ambiguous: objects({
        row: sheetRow,
        text: z.string(),
        groups: z.array(oneNamedGroup).max(10),
        count: count.describe('Groups that match, beyond the first 10 too.'),
      }).max(1_000),
      ignored_columns: z.array(z.string()).max(200).describe('Names of columns that no field has.'),
    }),
    errors: ['value_limit_reached', 'idempotency_key_in_progress', 'idempotency_key_outcome_unknown'],
    idempotency: 'keyed',
    bodyLimitBytes: SHEET_LIMIT_BYTES,
    longAnswer: 'pieces',
  },
  exportGroupFields: {
    path: '/api/v1/venom/export-group-fields',
    access: 'read',
    summary: 'Export values of groups as CSV',
    description:
      'A row for each group: `group_metadata_id`, `group`, then the fields by their names. import-group-fields takes it. CSV injection: text that a spreadsheet would run as a formula gets an apostrophe, which an import takes away.',
    body: z.object({
      group_list_id: optional(groupListId).describe('Only groups of this saved list.'),
      format: csvFormat,
    }),
    data: longText,
    errors: ['group_list_not_found'],
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': 'A file name.' },
    longAnswer: 'rows',
  },
});
