import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { notifyError } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { saveAllDrafts } from './save-draft.ts';
import { hasUnsavedChanges } from './unsaved-changes.ts';

/** Guards signing out: saves the drafts first, and asks (`question`) if something could not be saved. */
export function useUnsavedChangesGuard(leave: () => Promise<void>) {
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const leaving = useMutation({
    mutationFn: async () => {
      await saveAllDrafts(client);
      if (hasUnsavedChanges(client)) asking.open();
      else await leave();
    },
    onError: notifyError,
  });
  const question = (
    <ConfirmDialog
      opened={isAsking}
      close={asking.close}
      title={words.drafts.leaveTitle}
      action={words.drafts.leave}
      act={leave}
      danger
    >
      {words.drafts.leaveNote}
    </ConfirmDialog>
  );
  return { leave: () => leaving.mutate(), isLeaving: leaving.isPending, question };
}
