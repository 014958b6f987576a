import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { words } from '../words/words.ts';

/** Shown after a user has deleted their account. */
export function Goodbye() {
  return (
    <>
      <Text size="sm" role="status">
        {words.goodbye.note}
      </Text>
      <Button component={Link} href="/sign-up" variant="default">
        {words.goodbye.again}
      </Button>
    </>
  );
}
