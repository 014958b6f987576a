import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { InstallationFinding } from '../api/operations.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import type { Tone } from '../parts/status-tone.ts';
import { QueryStatus } from '../parts/query-status.tsx';
import { words } from '../words/words.ts';
import classes from './installation-page.module.css';

type Level = InstallationFinding['level'];

const LEVELS: readonly Level[] = ['error', 'warning', 'ok'];
const TONES: Readonly<Record<Level, Tone>> = { error: 'bad', warning: 'paused', ok: 'good' };

/** For administrators: the findings about the installation, errors first, with advice. */
export default function InstallationPage() {
  const look = useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => call('admin/get_installation', {}, { signal }),
    refetchInterval: 60_000,
  });
  const again = (
    <Button variant="default" loading={look.isFetching} onClick={() => void look.refetch()}>
      {words.installation.again}
    </Button>
  );
  return (
    <Page title={words.pages.installation} actions={again}>
      <QueryStatus of={look} rows={8} />
      {look.data && (
        <Stack gap="md">
          {LEVELS.map((level) => (
            <Findings key={level} level={level} findings={look.data.findings.filter((one) => one.level === level)} />
          ))}
          <Text size="sm" c="dimmed">
            {words.installation.looked} <RelativeTime at={look.data.examined_at} />. {words.installation.note}
          </Text>
        </Stack>
      )}
    </Page>
  );
}

function Findings({ level, findings }: { level: Level; findings: readonly InstallationFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <Section title={words.installation.levels[level]}>
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
  const names: Readonly<Record<string, string>> = words.installation.checks;
  return names[check] ?? check;
}
