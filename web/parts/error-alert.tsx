import { Alert, Button, Stack, Text } from '@mantine/core';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { useDisconnectedSince } from '../api/connection.ts';
import { isInFields, problemText } from '../format/problem.ts';
import { t } from '../i18n/translate.ts';
import { Icon } from './icons.tsx';

/** The error of a failed request with a retry button. Without a connection it has no button: the request is repeated by itself. */
export function ErrorAlert({ error, retry }: { error: unknown; retry?: () => void }) {
  const isLost = useDisconnectedSince() !== undefined && error instanceof CampanileError && error.status === 0;
  return (
    <Alert variant="default" role="alert" icon={<Icon name="alert" />} m="md">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{isLost ? t('connection.notAsked') : problemText(error)}</Text>
        {retry && !isLost && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('common.tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The error of an action, next to its button. */
export function ErrorText({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {problemText(error)}
    </Text>
  );
}

/** The same for a form, which shows the issues of single fields beside them. */
export function FormErrorText({ error }: { error: unknown }) {
  return <ErrorText error={isInFields(error) ? null : error} />;
}
