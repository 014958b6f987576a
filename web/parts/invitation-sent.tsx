import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { t } from '../i18n/translate.ts';
import { CopyButton } from './copy-button.tsx';
import textClasses from './text.module.css';

/** What became of an invitation: it was mailed, or there is a link to pass on, which is shown this once. */
export function InvitationSent({ note, link, close }: { note: string; link: string | undefined; close: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {note}
      </Text>
      {link !== undefined && (
        <Code block className={textClasses.breakable}>
          {link}
        </Code>
      )}
      <Group justify="flex-end">
        {link !== undefined && <CopyButton value={link} label={t('users.copyLink')} />}
        <Button size="xs" onClick={close}>
          {t('common.done')}
        </Button>
      </Group>
    </Stack>
  );
}
