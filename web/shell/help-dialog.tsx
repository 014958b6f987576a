import { Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { commandKey } from '../format/command-key.ts';
import { PRODUCT } from '../parts/product.ts';
import { t } from '../i18n/translate.ts';
import classes from './help-dialog.module.css';

const QUESTIONS = [
  'sandbox',
  'nothingSent',
  'slow',
  'undo',
  'stop',
  'weekly',
  'delivered',
  'cannotPost',
  'offline',
  'unknown',
] as const;

/** Keyboard shortcuts and frequent questions. */
export default function HelpDialog({ close }: { close: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  const mod = commandKey();
  const keys: readonly [keys: readonly string[], action: string][] = [
    [['N'], t('help.keys.compose')],
    [['/'], t('help.keys.search')],
    [[mod, 'K'], t('help.keys.palette')],
    [['?'], t('help.keys.help')],
    [[t('keys.escape')], t('help.keys.close')],
    [[mod, 'B'], t('help.keys.bold')],
    [[mod, 'I'], t('help.keys.italic')],
    [[mod, 'Z'], t('help.keys.undo')],
  ];
  return (
    <Modal opened onClose={close} title={t('help.title')} size="lg">
      <Stack gap="lg">
        <section aria-label={t('help.keysTitle')}>
          <Title order={3} size="h5" mb="sm">
            {t('help.keysTitle')}
          </Title>
          <dl className={classes.keys}>
            {keys.map(([pressed, action]) => (
              <div key={action} style={{ display: 'contents' }}>
                <dt>
                  {pressed.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{action}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-label={t('help.answersTitle')}>
          <Title order={3} size="h5" mb="sm">
            {t('help.answersTitle')}
          </Title>
          {QUESTIONS.map((question) => (
            <details key={question} className={classes.answer}>
              <summary>{t(`help.answers.${question}.question`)}</summary>
              <p>{t(`help.answers.${question}.answer`)}</p>
            </details>
          ))}
        </section>
        {session && (
          <Text size="sm" c="dimmed">
            {PRODUCT} {session.version}
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
