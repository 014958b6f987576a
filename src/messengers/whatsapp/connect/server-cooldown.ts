import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import type { Cooldown } from './cooldown.ts';

/**
 * Wraps a cool-down: when the account turns out to be restricted, WhatsApp is asked for how long, and again after each login, because
 * the end of the restriction may have been missed. The answer arrives as a restriction.
 */
export function withServerCooldown(cooldown: Cooldown, online: () => Client | undefined, log: Log): Cooldown {
  async function ask(): Promise<void> {
    try {
      await online()?.requestRestriction();
    } catch (error) {
      log.debug({ err: error }, 'WhatsApp does not say how long an account is restricted');
    }
  }

  return {
    ...cooldown,
    begin(why) {
      if (why.cause === 'restricted') void ask();
      return cooldown.begin(why);
    },
    report(state) {
      cooldown.report(state);
      if (state.status === 'connected' && cooldown.now()?.cause === 'restricted') void ask();
    },
  };
}
