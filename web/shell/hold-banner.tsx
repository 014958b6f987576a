import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { accountQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { LargeCallout } from '../parts/callout.tsx';
import { t } from '../i18n/translate.ts';
import classes from './hold-banner.module.css';

const EndHoldDialog = lazy(lazyWithRetry(() => import('./end-hold-dialog.tsx')));

/** Says on every page that all sending is on hold; administrators can end the hold. */
export function HoldBanner() {
  const { data } = useQuery(accountQuery);
  const { data: session } = useQuery(sessionQuery);
  const [isOpen, dialog] = useDisclosure(false);
  const isAdmin = session?.is_admin === true;
  // Always mounted: screen readers announce only changes of an existing live region.
  return (
    <>
      <div role="status" className={classes.region}>
        {data?.held_since !== undefined && (
          <LargeCallout icon="alert" title={t('held.title')} role="note">
            <Text size="sm">{isAdmin ? t('held.decide') : t('held.ask')}</Text>
            {isAdmin && (
              <Button size="xs" mt="sm" onClick={dialog.open}>
                {t('held.look')}
              </Button>
            )}
          </LargeCallout>
        )}
      </div>
      <Suspense>{isOpen && <EndHoldDialog close={dialog.close} />}</Suspense>
    </>
  );
}
