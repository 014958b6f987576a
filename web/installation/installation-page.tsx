import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { InstallationFinding } from '../api/operations.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import type { Tone } from '../parts/status-tone.ts';
import { QueryStatus } from '../parts/query-status.tsx';
import { findMessage, t } from '../i18n/translate.ts';
import classes from './installation-page.module.css';

type Level = InstallationFinding['level'];

const LEVELS: readonly Level[] = ['error', 'warning', 'ok'];
const TONES: Readonly<Record<Level, Tone>> = { error: 'bad', warning: 'paused', ok: 'good' };

/** For administrators: the findings about the installation, errors first, with advice. */
export default function InstallationPage() {
  const installation = useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => call('admin/get_installation', {}, { signal }),
    refetchInterval: 60_000,
  });
  const again = (
    <Button variant="default" loading={installation.isFetching} onClick={() => void installation.refetch()}>
      {t('installation.again')}
    </Button>
  );
  return (
    <Page title={t('pages.installation')} actions={again}>
      <QueryStatus of={installation} rows={8} />
      {installation.data && (
        <Stack gap="md">
          {LEVELS.map((level) => (
            <Findings
              key={level}
              level={level}
              findings={installation.data.findings.filter((one) => one.level === level)}
            />
          ))}
          <Text size="sm" c="dimmed">
            {t('installation.looked')} <RelativeTime at={installation.data.examined_at} />. {t('installation.note')}
          </Text>
        </Stack>
      )}
    </Page>
  );
}

function Findings({ level, findings }: { level: Level; findings: readonly InstallationFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Section title={t(`installation.levels.${level}`)}>
      <ul className={classes.findings}>
        {findings.map(({ check, message, advice }) => (
          <li key={`${check} ${message}`} className={classes.finding}>
            <Dot tone={TONES[level]} label={nameOf(check)} />
            <div>
              <Text size="sm" lang="en">
                {message}
              </Text>
              {advice !== null && (
                <Text size="sm" fw={600} mt={4} lang="en">
                  {advice}
                </Text>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A newer service may have checks that this page does not know. */
function nameOf(check: string): string {
  return findMessage(`installation.checks.${check}`) ?? check;
}
