/** The commands of the command line. The modules of a command are loaded on first use, so that the service loads only its own. */
import type { Shell } from './shell.ts';

export interface Command {
  /** The arguments after `campanile`, one line for each form. */
  usage: readonly string[];
  /** A short description. */
  about: string;
  /**
   * Returns the exit code. Throws a UsageError for wrong arguments, and a StartupError with the remedy when the operator has to change
   * something.
   */
  run(shell: Shell): Promise<number>;
}

/** By name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: ['serve'],
    about: 'Run the service. This is the default.',
    run: async (shell) => (await import('./serve.ts')).serve(shell),
  },
  doctor: {
    usage: ['doctor [--json]'],
    about: 'Check the installation and suggest a remedy for each problem. Exits with 1 if a check fails.',
    run: async (shell) => (await import('./doctor.ts')).doctor(shell),
  },
  upgrade: {
    usage: ['upgrade --check'],
    about:
      'Report what the next start changes in the database. Exits with 0: no changes, 3: pending migrations, 1: the start would fail.',
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
    about: 'Manage users. NAME is a user name or an e-mail address.',
    run: async (shell) => (await import('./users.ts')).users(shell),
  },
  keys: {
    usage: ['keys list NAME', 'keys revoke NAME ID'],
    about: 'List or revoke the API keys of a user.',
    run: async (shell) => (await import('./keys.ts')).keys(shell),
  },
  secrets: {
    usage: ['secrets rotate', 'secrets give-up [--yes]'],
    about: 'Rotate the token secret without ending sessions, or delete data that a lost encryption key has sealed.',
    run: async (shell) => (await import('./secrets.ts')).secrets(shell),
  },
  accounts: {
    usage: ['accounts list', 'accounts release NAME'],
    about: 'List the linked accounts and their states, or resume a stopped account.',
    run: async (shell) => (await import('./accounts.ts')).accounts(shell),
  },
  backup: {
    usage: ['backup FILE [--passphrase-file FILE]', 'backup verify FILE [--passphrase-file FILE] [--unauthenticated]'],
    about:
      'Write a backup while the service runs, or verify one: authenticate it, restore it temporarily and count its rows.',
    run: async (shell) => (await import('./backup.ts')).backup(shell),
  },
  restore: {
    usage: ['restore FILE [--passphrase-file FILE] [--unauthenticated]'],
    about: 'Restore a backup into an empty DATA_DIR. The ledger stays held until you run "campanile release".',
    run: async (shell) => (await import('./backup.ts')).restore(shell),
  },
  release: {
    usage: ['release', 'release [--send ID|all] [--unknown ID|all]'],
    about: 'Show the queue of a held ledger. With a choice for each campaign, resume sending.',
    run: async (shell) => (await import('./release.ts')).release(shell),
  },
  'whatsapp-check': {
    usage: ['whatsapp-check [--url URL] [--report FILE]'],
    about: 'Test a WhatsApp number step by step.',
    run: async ({ given, input, output }) =>
      (await import('./whatsapp-check/whatsapp-check.ts')).whatsappCheck({ arguments: given, input, output }),
  },
  mcp: {
    usage: ['mcp --key-file FILE [--url URL]', 'mcp --port PORT [--host HOST] [--url URL] [--allow-origin URL]...'],
    about: 'Serve MCP tools for language models over stdio, or over HTTP with an API key in each request.',
    run: async (shell) => (await import('./mcp.ts')).mcp(shell),
  },
};
