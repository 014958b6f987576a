import { Text, type MantineSpacing } from '@mantine/core';
import { useMay } from '../api/workspace.ts';
import { t } from '../i18n/translate.ts';

/** Says why controls are missing or disabled, unless the user has the role that they need. `text` says what the role lacks on this page. */
export function RoleNote({
  needs,
  text,
  mb,
}: {
  needs: 'author' | 'manager' | 'owner';
  text?: string;
  mb?: MantineSpacing | undefined;
}) {
  if (useMay(needs) !== false) return null;
  return (
    <Text size="sm" c="dimmed" {...(mb !== undefined && { mb })}>
      {text ?? t(`members.missing.${needs}`)}
    </Text>
  );
}
