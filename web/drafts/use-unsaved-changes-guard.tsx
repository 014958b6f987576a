import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { notifyError } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
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
      title={t('drafts.leaveTitle')}
      action={t('drafts.leave')}
      act={leave}
      danger
    >
      {t('drafts.leaveNote')}
    </ConfirmDialog>
  );
  return { leave: () => leaving.mutate(), isLeaving: leaving.isPending, question };
}
