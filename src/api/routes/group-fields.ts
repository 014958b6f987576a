import { SHEET_LIMITS } from '../../content/sheets/read-sheet.ts';
import { decodeBase64 } from '../../content/media/decode-base64.ts';
import type { Database } from '../../platform/database/statements.ts';
import { readFieldSheet } from '../../sending/groups/fields/export-fields.ts';
import { importGroupFields } from '../../sending/groups/fields/import-fields.ts';
import { listFields, setFields } from '../../sending/groups/fields/fields.ts';
import { setGroupFields } from '../../sending/groups/fields/set-group-fields.ts';
import { findGroups, type FoundGroup } from '../../sending/groups/find-groups.ts';
import type { groupFields } from '../contract/group-fields.ts';
import type { Handlers } from '../operation.ts';
import { beginCsv, writeTable } from './csv.ts';
import { describeGroup, nameGroup } from './groups.ts';

export const groupFieldHandlers: Handlers<typeof groupFields, { db: Database; timeZone: string }> = {
  async listFields(deps, { actor }) {
    return { fields: await listFields(deps, actor) };
  },

  async setFields(deps, { body, actor }) {
    return { fields: await setFields(deps, actor, body) };
  },

  async setGroupFields(deps, { body, actor, idempotencyKey }) {
    const groups = body.groups.map(({ groupMetadataId: groupId, fields }) => ({ groupId, fields }));
    return setGroupFields(deps, actor, groups, idempotencyKey);
  },

  async findGroups(deps, { body, actor }) {
    const { found, unknown, ambiguous } = await findGroups(deps, actor, body.names);
    return {
      found: found.map(({ text, group }) => ({ text, group: describeGroup(group) })),
      unknown,
      ambiguous: ambiguous.map((one) => ({ ...one, groups: one.groups.map(describeGroup<FoundGroup>) })),
    };
  },

  async importGroupFields(deps, { body, actor, idempotencyKey }) {
    const { bytes } = decodeBase64('file', body.file, SHEET_LIMITS.bytes);
    const input = { bytes, isDryRun: body.dryRun, skipsRefused: body.skipRefused };
    const report = await importGroupFields(deps, actor, input, idempotencyKey);
    return {
      ...report,
      changes: report.changes.map(nameGroup),
      ambiguous: report.ambiguous.map((one) => ({ ...one, groups: one.groups.map(describeGroup<FoundGroup>) })),
    };
  },

  async exportGroupFields(deps, asked) {
    const { fields, groups } = await readFieldSheet(deps, asked.actor, asked.body.groupListId);
    const toCells = ({ groupId, name, values }: (typeof groups)[number]) => [
      groupId,
      name,
      ...fields.map(({ fieldId }) => values[fieldId]),
    ];
    const columns = ['group_metadata_id', 'group', ...fields.map(({ name }) => name)];
    return writeTable(columns, groups, toCells, await beginCsv(deps, asked, 'groups'));
  },
};
