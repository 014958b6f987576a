import { Button, List, Menu, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CampanileError } from '../../../clients/typescript/failure.ts';
import { call } from '../../api/call.ts';
import { EDITS_KEY } from '../../drafts/unsaved-changes.ts';
import { issueText } from '../../format/issue-text.ts';
import { t } from '../../i18n/translate.ts';
import { Icon } from '../../parts/icons.tsx';
import { SaveBar, showSaved } from '../../parts/save-bar.tsx';
import type { FieldAction, GroupField, SheetGroup } from './field-queries.ts';
import { FieldSheet } from './field-sheet.tsx';
import { keyOf, useEdits, type Edits } from './use-edits.ts';

/** As many groups are drawn at first, and as many more each time: a phone draws them within a moment. */
const ROWS_AT_ONCE = 320;
const GROUPS_A_CALL = 1_000;
const UNSAVED_KEY = [...EDITS_KEY, 'group-fields'];

/** The sheet with what is not saved yet. `open`: undefined for those who may only read. */
export function EditedSheet({
  fields,
  groups,
  reload,
  open,
}: {
  fields: readonly GroupField[];
  groups: readonly SheetGroup[];
  reload: () => Promise<unknown>;
  open?: (action: FieldAction) => void;
}) {
  const client = useQueryClient();
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  const { edits, canUndo, change, undo, clear } = useEdits();
  const saving = useMutation({
    mutationFn: () => saveEdits(edits, fields),
    onSuccess: async () => {
      await reload();
      clear();
      showSaved();
    },
  });
  useEffect(() => {
    client.setQueryData(UNSAVED_KEY, { isChanged: edits.size > 0 });
    return () => client.removeQueries({ queryKey: UNSAVED_KEY });
  }, [client, edits]);
  const problems = findProblems(saving.error, edits, fields);
  const discard = () => {
    clear();
    saving.reset();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
      noValidate
    >
      {open && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('groupFields.how')}
        </Text>
      )}
      <FieldSheet
        {...{ fields, edits, undo, ...(open && { change }) }}
        groups={groups.slice(0, rows)}
        wrong={new Set(problems.map(({ key }) => key))}
        renderHead={(field) => (open ? <FieldMenu field={field} open={open} /> : <bdi>{field.name}</bdi>)}
      />
      {groups.length > rows && (
        <Button variant="default" my="md" onClick={() => setRows(rows + ROWS_AT_ONCE)}>
          {t('common.more')}
        </Button>
      )}
      {canUndo && (
        <Button variant="subtle" size="compact-sm" my="xs" onClick={undo}>
          {t('groupFields.undo')}
        </Button>
      )}
      <Problems problems={problems} />
      {open && <SaveBar isChanged={edits.size > 0} saving={saving} discard={discard} />}
    </form>
  );
}

function Problems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <List size="sm" c="var(--failed)" role="alert" my="xs">
      {problems.map(({ key, text }) => (
        <List.Item key={key}>{text}</List.Item>
      ))}
    </List>
  );
}

function FieldMenu({ field, open }: { field: GroupField; open: (action: FieldAction) => void }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton fz="inherit" fw="inherit" aria-label={t('groupFields.actions', { name: field.name })}>
          <bdi>{field.name}</bdi> <Icon name="down" size={12} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => open({ rename: field })}>{t('groupFields.rename')}</Menu.Item>
        <Menu.Item onClick={() => open({ remove: field })}>{t('groupFields.remove')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Saves what still has a field: one may have been removed meanwhile. */
async function saveEdits(edits: Edits, fields: readonly GroupField[]): Promise<void> {
  const nameOf = new Map(fields.map(({ field_id: id, name }) => [id, name]));
  const kept = edits.values().filter(({ fieldId }) => nameOf.has(fieldId));
  const groups = Array.from(
    Map.groupBy(kept, ({ groupId }) => groupId),
    ([group_metadata_id, ofGroup]) => ({
      group_metadata_id,
      fields: Object.fromEntries(ofGroup.map(({ fieldId, text }) => [nameOf.get(fieldId), text])),
    }),
  );
  for (let from = 0; from < groups.length; from += GROUPS_A_CALL)
    await call('venom/set-group-fields', { groups: groups.slice(from, from + GROUPS_A_CALL) });
}

interface Problem {
  key: string;
  text: string;
}

/** Returns what an error says of cells that still read as they were sent. */
function findProblems(error: unknown, edits: Edits, fields: readonly GroupField[]): Problem[] {
  if (!(error instanceof CampanileError)) return [];
  return error.details.flatMap(({ field, ...issue }) => {
    const name = /^groups\.\d+\.fields\.(.*)$/.exec(field)?.[1];
    const known = fields.find((one) => one.name === name);
    const edit = known && edits.get(keyOf(Number(issue.params?.['group_metadata_id']), known.field_id));
    if (!edit) return [];
    const text = t('common.issueOf', { entered: edit.text, issue: issueText(issue) });
    return [{ key: keyOf(edit.groupId, edit.fieldId), text }];
  });
}
