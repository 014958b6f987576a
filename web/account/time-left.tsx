import { Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { useNow } from '../parts/relative-time.tsx';
import classes from './time-left.module.css';

/** How long a code or a request is valid, in words and as a shrinking bar. */
export function TimeLeft({
  expiresAt,
  label,
  describe,
}: {
  expiresAt: string | undefined;
  label: string;
  describe: (seconds: number) => string;
}) {
  const nowMs = useNow(1_000);
  const seconds = expiresAt === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000));
  // The validity when it was first shown; each code has its own.
  const [total, setTotal] = useState({ expiresAt, seconds });
  if (total.expiresAt !== expiresAt) setTotal({ expiresAt, seconds });
  return (
    <div className={classes.timeLeft}>
      <Progress value={total.seconds === 0 ? 0 : (seconds / total.seconds) * 100} size="sm" aria-label={label} />
      <Text size="sm" c="dimmed" ta="center" mt={6}>
        {describe(seconds)}
      </Text>
    </div>
  );
}
