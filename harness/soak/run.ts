/** `npm run soak -- NAME [OPTIONS]`: runs one of the soaks beside this file. Each says its options at its top. */
const SOAKS = ['webhooks', 'whatsapp'] as const;

const [given = ''] = process.argv.slice(2);
const named = SOAKS.find((name) => name === given);
if (named === undefined) {
  console.error(`Name a soak: ${SOAKS.join(' or ')}.`);
  process.exit(2);
}
// The soaks read their options from the process.
process.argv.splice(2, 1);
await import(`./${named}.ts`);
