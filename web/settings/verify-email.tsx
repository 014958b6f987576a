import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { words } from '../words/words.ts';

/** Says that the e-mail address is not verified, and sends the link again. */
export function VerifyEmailNotice() {
  const sending = useMutation({
    mutationFn: () => call('user/send_verification', {}),
    onSuccess: () => showToast(words.verify.sent),
  });
  return (
    <div>
      <Group gap="sm">
        <Text size="sm">{words.verify.missing}</Text>
        <Button size="compact-sm" variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
          {words.verify.again}
        </Button>
      </Group>
      <ErrorText error={sending.error} />
    </div>
  );
}
