/** The words of the command line. What a word needs is loaded when it is used, so that the service starts with nothing but its own. */
import type { Shell } from './shell.ts';

export interface Command {
  /** What follows `campanile`, one line for each form. */
  usage: readonly string[];
  /** What it does, in a few words. */
  about: string;
  /**
   * Resolves to the exit code. Throws a UsageError for arguments it does not take, a StartupError for whatever the operator has to
   * change.
   */
  run(shell: Shell): Promise<number>;
}

/** By their word; shown in this order. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: ['serve'],
    about: 'runs the service until it is told to stop; also without a word',
    run: async (shell) => (await import('./serve.ts')).serve(shell),
  },
  doctor: {
    usage: ['doctor [--json]'],
    about: 'looks the installation over and says what to do; exit code 1 where something is wrong',
    run: async (shell) => (await import('./doctor.ts')).doctor(shell),
  },
  upgrade: {
    usage: ['upgrade --check'],
    about:
      'says what the next start would do to the database; exit code 0: nothing, 3: it would bring it up to date, 1: it would refuse it',
    run: async (shell) => (await import('./upgrade.ts')).upgrade(shell),
  },
  users: {
    usage: [
      'users list [SEARCH]',
      'users create NAME E-MAIL NUMBER',
      'users invite E-MAIL',
      'users disable|enable|reset-password|reset-factor|make-admin NAME',
      'users delete NAME --yes',
    ],
    about: 'what administrators do with users; NAME can be the e-mail address',
    run: async (shell) => (await import('./users.ts')).users(shell),
  },
  keys: {
    usage: ['keys list NAME', 'keys revoke NAME ID'],
    about: 'the API keys of a user',
    run: async (shell) => (await import('./keys.ts')).keys(shell),
  },
  secrets: {
    usage: ['secrets rotate', 'secrets give-up [--yes]'],
    about:
      'makes another secret for the tokens, which signs nobody out; or gives up what a lost encryption key has sealed',
    run: async (shell) => (await import('./secrets.ts')).secrets(shell),
  },
  accounts: {
    usage: ['accounts list', 'accounts release NAME'],
    about: 'how accounts stand, and lets one go on that was stopped',
    run: async (shell) => (await import('./accounts.ts')).accounts(shell),
  },
  backup: {
    usage: ['backup FILE [--passphrase-file FILE]', 'backup verify FILE [--passphrase-file FILE] [--unauthenticated]'],
    about:
      'writes all there is into a file, also while the service runs; or authenticates that, restores it elsewhere and counts',
    run: async (shell) => (await import('./backup.ts')).backup(shell),
  },
  restore: {
    usage: ['restore FILE [--passphrase-file FILE] [--unauthenticated]'],
    about: 'puts a backup into DATA_DIR, which has to be empty; nothing is sent from it until it is released',
    run: async (shell) => (await import('./backup.ts')).restore(shell),
  },
  release: {
    usage: ['release', 'release [--send ID|all] [--unknown ID|all]'],
    about: 'shows what is queued in a ledger that is held, and lets it send once each campaign has a choice',
    run: async (shell) => (await import('./release.ts')).release(shell),
  },
  'whatsapp-check': {
    usage: ['whatsapp-check [--url URL] [--report FILE]'],
    about: 'goes through the first hour on WhatsApp with you',
    run: async ({ given, input, output }) =>
      (await import('./whatsapp-check/whatsapp-check.ts')).whatsappCheck({ arguments: given, input, output }),
  },
  mcp: {
    usage: ['mcp --key-file FILE [--url URL]', 'mcp --port PORT [--host HOST] [--url URL] [--allow-origin URL]...'],
    about: 'lets language models use the service: over stdio, or HTTP, where each request carries an API key',
    run: async (shell) => (await import('./mcp.ts')).mcp(shell),
  },
};
