import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { t } from '../i18n/translate.ts';

/** Shown after a user has deleted their account. */
export function Goodbye() {
  return (
    <>
      <Text size="sm" role="status">
        {t('goodbye.note')}
      </Text>
      <Button component={Link} href="/sign-up" variant="default">
        {t('goodbye.again')}
      </Button>
    </>
  );
}
