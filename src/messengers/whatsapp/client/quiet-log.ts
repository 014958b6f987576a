import type { ILogger } from 'baileys/lib/Utils/logger.js';
import type { Log } from '../../../platform/log/log.ts';

/**
 * The library's logger. The library logs keys, sessions and whole messages, so only its sentence and the message of an error are kept.
 * Everything below its errors is logged as debug.
 */
export function quietLog(log: Log): ILogger {
  const write = (level: 'debug' | 'warn') => (about: unknown, sentence?: string) => {
    const text = sentence ?? (typeof about === 'string' ? about : 'said nothing');
    log[level]({ client: withoutSecrets(text), ...reasonIn(about) }, 'the WhatsApp client says');
  };
  const quiet: ILogger = {
    // Below `trace` it does not log each stanza.
    level: 'warn',
    child: () => quiet,
    trace: () => undefined,
    debug: () => undefined,
    info: write('debug'),
    warn: write('debug'),
    error: write('warn'),
  };
  return quiet;
}

/** Only an error's message: the object itself may carry a message that was being sent. */
function reasonIn(about: unknown): { reason?: string } {
  if (typeof about !== 'object' || about === null) return {};
  const { err, error, trace } = about as { err?: unknown; error?: unknown; trace?: unknown };
  const cause = [about, err, error].find((one) => one instanceof Error);
  const message = cause instanceof Error ? cause.message : typeof trace === 'string' ? trace.split('\n')[0] : undefined;
  return message === undefined ? {} : { reason: withoutSecrets(message) };
}

const LONGEST = 200;
/** Keys look like long runs of hexadecimal or base64 digits. */
const LIKE_A_KEY = /[A-Za-z0-9+/_=-]{24,}/g;

export function withoutSecrets(text: string): string {
  return text.replaceAll(LIKE_A_KEY, '[secret]').slice(0, LONGEST);
}
