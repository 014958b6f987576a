import { Code, Group as Row, Modal, Stack, Text } from '@mantine/core';
import type { Group } from '../api/operations.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';

/** A group's invite link, to copy or to scan. */
export function InviteDialog({ group, close }: { group: Group | undefined; close: () => void }) {
  const link = group?.invite_link ?? '';
  return (
    <Modal opened={group !== undefined} onClose={close} title={group && words.groups.inviteTo(group.group_name)}>
      <Stack align="center" gap="md">
        <Text size="sm" c="dimmed">
          {words.groups.inviteHint}
        </Text>
        {link !== '' && <QrCode text={link} label={words.groups.qrLabel} />}
        <Row gap="xs" justify="center">
          <Code className={textClasses.breakable}>{link}</Code>
          <CopyButton value={link} label={words.groups.copyLink} />
        </Row>
      </Stack>
    </Modal>
  );
}
