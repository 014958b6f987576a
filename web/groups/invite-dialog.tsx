import { Modal, Stack, Text } from '@mantine/core';
import type { Group } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';
import { GroupInviteLink } from './invite-link.tsx';

/** A group's invite link, to copy or to scan. */
export function InviteDialog({ group, close }: { group: Group | undefined; close: () => void }) {
  return (
    <Modal
      opened={group !== undefined}
      onClose={close}
      title={group && t('groups.inviteTo', { name: group.group_name })}
    >
      <Stack align="center" gap="md">
        <Text size="sm" c="dimmed">
          {t('groups.inviteHint')}
        </Text>
        {group && <GroupInviteLink group={group} />}
      </Stack>
    </Modal>
  );
}
