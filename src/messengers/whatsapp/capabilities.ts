import type { MessengerCapabilities } from '../messenger.ts';
import { WHATSAPP_WINDOWS } from '../windows.ts';

export const WHATSAPP = {
  name: 'whatsapp',
  staysOpen: true,
  sendsOneByOne: true,
  changeWindows: WHATSAPP_WINDOWS,
} as const satisfies MessengerCapabilities;
