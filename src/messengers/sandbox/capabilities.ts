import type { MessengerCapabilities } from '../messenger.ts';
import { WHATSAPP_WINDOWS } from '../windows.ts';

export const SANDBOX = {
  name: 'sandbox',
  linksAtOnce: true,
  changeWindows: WHATSAPP_WINDOWS,
} as const satisfies MessengerCapabilities;
