import { Box, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { createSavedDraft } from '../compose/create-draft.ts';
import { problemText } from '../format/problem.ts';
import { LargeCallout } from '../parts/callout.tsx';
import { notifyError } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { updatePersistedDraft, fetchDraft, draftKey, type PersistedDraft } from './persisted-draft.ts';
import { isConflict, isDeletedElsewhere, isTransient } from './save-draft.ts';

/** Whether the draft is saved, and the choice after a conflict. */
export function SaveStatus({ id, kept, zone }: { id: string; kept: PersistedDraft; zone: string }) {
  if (isConflict(kept.problem)) return <ConflictCallout id={id} kept={kept} zone={zone} />;
  const hasFailed = kept.isChanged && kept.problem !== null;
  // A lost connection is shown above.
  const failed = isTransient(kept.problem)
    ? words.drafts.notSaved
    : `${words.drafts.cannotSave} ${problemText(kept.problem)}`;
  const text = kept.isChanged ? words.drafts.saving : kept.version > 0 ? words.drafts.saved : '';
  return (
    <Text size="sm" c={hasFailed ? 'var(--mantine-color-error)' : 'dimmed'} role="status" mih="1.5em" mb="xs">
      {hasFailed ? failed : text}
    </Text>
  );
}

function ConflictCallout({ id, kept, zone }: { id: string; kept: PersistedDraft; zone: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  /** Saves the local text as a second draft, with its file; this one keeps the version of the other place. */
  const saveBoth = () => {
    const { name } = kept.draft;
    const mine = { ...kept.draft, name: name === '' ? '' : words.drafts.copyName(name) };
    const address = createSavedDraft(client, mine, kept.file);
    discardMine();
    go(address);
  };
  /** Prevents saving on unmount. */
  const discardMine = () => {
    updatePersistedDraft(client, id, (now) => ({ ...now, isChanged: false }));
    client.removeQueries({ queryKey: draftKey(id) });
  };
  const taking = useMutation({
    mutationFn: () => fetchDraft(client, id, zone),
    onSuccess: (theirs) => updatePersistedDraft(client, id, ({ edition }) => ({ ...theirs, edition: edition + 1 })),
    onError: notifyError,
  });
  const throwAway = () => {
    discardMine();
    go('/campaigns/new');
  };
  return (
    <Box mb="md">
      <LargeCallout
        icon="alert"
        role="status"
        title={isDeletedElsewhere(kept.problem) ? words.drafts.goneMeanwhile : words.drafts.elsewhere}
      >
        <Text size="sm">{words.drafts.elsewhereHint}</Text>
        <Group gap="xs" mt="xs">
          <Button size="xs" onClick={saveBoth}>
            {words.drafts.keepBoth}
          </Button>
          {isDeletedElsewhere(kept.problem) ? (
            <Button size="xs" variant="default" onClick={throwAway}>
              {words.drafts.throwAway}
            </Button>
          ) : (
            <Button size="xs" variant="default" loading={taking.isPending} onClick={() => taking.mutate()}>
              {words.drafts.takeTheirs}
            </Button>
          )}
        </Group>
      </LargeCallout>
    </Box>
  );
}
