import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../contract/webhook-events.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Of the message; the same in all tries.',
  'webhook-timestamp': 'Of the try: seconds since 1970.',
  'webhook-signature': '`v1,` or `v1a,` and the signature of `id.timestamp.body`; several with a space between them.',
};

/** The section `webhooks` of the OpenAPI document: a message for each type of event. */
export function describeWebhooks(): Record<string, unknown> {
  const parameters = Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([type, { summary, data }]) => {
      const message = z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data });
      const { $schema: _, ...schema } = z.toJSONSchema(message, {
        io: 'input',
        reused: 'inline',
        metadata: z.registry(),
      });
      const operation = {
        operationId: type,
        tags: ['Webhooks'],
        summary,
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Taken. Whatever else is answered is tried again; 410 ends the webhook.' } },
        security: [],
      };
      return [type, { post: operation }];
    }),
  );
}
