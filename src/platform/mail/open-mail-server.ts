import type { Transporter } from 'nodemailer';
import type { MailContent } from './mail-templates.ts';

/** The settings for sending mail (contract §1). */
export interface MailSettings {
  /** Of the server that takes them. */
  smtpUrl: string;
  /** The address, or `Name <address>`. */
  from: string;
  /** The base URL of links, without a trailing slash. */
  publicUrl: string;
}

export class PermanentRejectionError extends Error {}

/** Together well under the minute after which a mail is tried again. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000, dnsTimeout: 5_000 };

/** A mail server to send by. Plain text without TLS only to this machine, unless the URL says `?requireTLS=false`. */
export function openMailServer({ smtpUrl, from, publicUrl }: MailSettings) {
  const { hostname } = new URL(smtpUrl);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  let transport: Transporter | undefined;
  async function open(): Promise<Transporter> {
    // Loaded with the first mail: it takes tens of megabytes.
    const { createTransport } = await import('nodemailer');
    transport ??= createTransport({
      url: smtpUrl,
      requireTLS: !isLoopback,
      ...TIMEOUTS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return transport;
  }
  const { hostname: here } = new URL(publicUrl);
  return {
    /** Rejects with `PermanentRejectionError` where to try again would come to the same. */
    async send({ recipient, mailId, subject, text }: MailContent & { recipient: string; mailId: string }) {
      try {
        await (
          await open()
        ).sendMail({
          from,
          // As an object, so that no comma or bracket in it makes two of one.
          to: { name: '', address: recipient },
          subject,
          text,
          // The same with each try: who gets it twice can tell.
          messageId: `<${mailId}@${here}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw isPermanent(error) ? new PermanentRejectionError('the mail server refuses it', { cause: error }) : error;
      }
    },
    close: () => transport?.close(),
  };
}

/** Whether the address or the mail was rejected for good. Problems of the server or of our password can be solved by the operator. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const status = 'responseCode' in error ? Number(error.responseCode) : 0;
  return (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && status >= 500;
}
