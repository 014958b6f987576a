import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { notifyError, showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { invalidateCampaign } from './use-campaign-action.ts';

/** The failed posts of a campaign, or of one of its runs. */
interface Failed {
  campaign_id: string;
  name: string;
  run_id?: number;
}

/**
 * Sends failed posts again, but for those that may have arrived: of these it says how many they are, and sends them only when told to. A
 * toast says it, since a campaign that is sent again changes its place in a list.
 */
export function useRetry() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (failed: Failed) => {
      const posts = await sendAgain(client, failed, { leave_unknown: true });
      if (posts > 0) askAboutUnknown(client, failed, posts);
    },
    onError: notifyError,
  });
}

/** Resolves to the number of posts that it left. */
async function sendAgain(client: QueryClient, { name, ...failed }: Failed, how: { leave_unknown: boolean }) {
  const { left_unknown: posts = 0 } = await call('venom/retry-campaign', { ...failed, ...how });
  if (posts === 0) showToast(t('palette.done.retry', { name }));
  await invalidateCampaign(client, failed.campaign_id);
  return posts;
}

function askAboutUnknown(client: QueryClient, failed: Failed, posts: number): void {
  const id = `retry-${failed.campaign_id}-${failed.run_id ?? ''}`;
  const sendAnyway = () => {
    notifications.hide(id);
    sendAgain(client, failed, { leave_unknown: false }).catch(notifyError);
  };
  const message = (
    <>
      <Text size="sm" fw={650}>
        {t('retry.title', { posts })}
      </Text>
      <Text size="sm" mb="xs">
        {t('retry.note', { name: failed.name })}
      </Text>
      <Button size="xs" variant="default" onClick={sendAnyway}>
        {t('retry.send')}
      </Button>
    </>
  );
  notifications.show({ id, message, role: 'alert', autoClose: false });
}
