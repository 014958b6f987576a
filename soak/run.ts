/** `npm run soak -- [NAME] [OPTIONS]`: runs one of the soaks beside this file, `deliveries` unless named. Each says its options at its top. */
const SOAKS = ['deliveries', 'failover', 'webhooks', 'whatsapp'] as const;

const [given = ''] = process.argv.slice(2);
const named = SOAKS.find((name) => name === given);
if (named === undefined && given !== '' && !given.startsWith('--')) {
  console.error(`There is no soak ${given}: it is one of ${SOAKS.join(', ')}.`);
  process.exit(2);
}
// The soaks read their options from the process.
if (named !== undefined) process.argv.splice(2, 1);
await import(`./${named ?? 'deliveries'}.ts`);
