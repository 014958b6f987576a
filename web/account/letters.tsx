import { Text } from '@mantine/core';
import classes from './letters.module.css';

const HALF = 4;

/** Eight characters in two halves, as WhatsApp shows them; screen readers spell the label. */
export function Letters({ code, label }: { code: string; label: string }) {
  return (
    <Text className={classes.letters} component="div" role="img" aria-label={label}>
      {code.slice(0, HALF)}-{code.slice(HALF)}
    </Text>
  );
}
