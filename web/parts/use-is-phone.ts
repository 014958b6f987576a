import { useMediaQuery } from '@mantine/hooks';

/** As in the style sheets. */
export const PHONE = '(max-width: 760px)';

/** Returns whether the screen is as narrow as a phone's. */
export function useIsPhone(): boolean {
  return useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
}
