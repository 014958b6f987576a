import { NumberInput, type NumberInputProps } from '@mantine/core';

/** A field for a number without a sign and decimals. */
export function WholeNumber(props: NumberInputProps) {
  return <NumberInput allowDecimal={false} allowNegative={false} {...props} />;
}
