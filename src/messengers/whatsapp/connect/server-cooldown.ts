import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import type { Cooldown } from './cooldown.ts';

/**
 * The same rest, which asks WhatsApp for how long where it turns out that the account is restricted, and again when it is connected:
 * word that the restriction is over may have been missed meanwhile. The answer comes as a restriction that is told.
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
